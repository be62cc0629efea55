"""The patterns that hold without any setting: secrets, and what runs or decides what runs.

How patterns are written and which one decides: see `rules.PathRules`.
"""

DENIED = (
    # Environment files hold passwords and tokens; their templates don't.
    ".env*",
    "!.env.example",
    "!.env.sample",
    "!.env.template",
    "!.env.dist",
    "!.env.*.example",
    # Private keys and key stores. A .pem may be a mere certificate: those with the usual names are let through.
    "id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}",
    "?*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdbx}",
    "!{cacert,cert,chain,fullchain,public,pubkey}.pem",
    "!*{.pub,public,.crt}.pem",
    "!public.key",
    # Credentials where the common clients keep them.
    ".ssh/",
    ".gnupg/",
    ".aws/",
    ".azure/",
    ".config/{gcloud,gh}/",
    ".kube/config",
    ".docker/config.json",
    "application_default_credentials.json",
    ".{netrc,pgpass,git-credentials,pypirc,htpasswd,vault-token}",
    "_netrc",
    # The variables that a process was started with, our own keys among them.
    "/proc/**/environ",
)
"""Secrets: never read, listed, searched or changed."""

PROTECTED = (
    # What runs, or decides what runs, without being asked: version control, editors, agents.
    ".{git,hg,svn,jj}/",
    ".gitmodules",
    ".steersman/",
    ".{vscode,vs,idea,zed,helix,fleet,devcontainer,vim,nvim,emacs.d,nova,theia}/",
    "*.{code-workspace,sublime-project,sublime-workspace}",
    ".{nvimrc,exrc,vimrc,gvimrc,lvimrc,nvim.lua,lazy.lua,neoconf.json}",
    ".{kakrc,emacs,dir-locals.el,dir-locals-2.el,projectile}",
    ".{kateproject,kateconfig}*",
    ".config/{nvim,helix,zed,kak,emacs,Code,fish,nushell,powershell,direnv}/",
    ".config/{systemd,autostart,environment.d,git,pip}/",
    ".{gitconfig,hgrc}",
    ".{claude,codex,cursor,gemini,opencode,continue,kiro,roo,windsurf,qwen,junie,amazonq,augment,trae,kilocode}/",
    ".{copilot,crush,factory,agent,agents}/",
    ".{cursorrules,windsurfrules,clinerules,roomodes,goosehints,rules,aider*}",
    "{mcp,.mcp,opencode,crush,.crush}.{json,jsonc}",
    "{AGENT,AGENTS,AGENTS.*,CLAUDE,CLAUDE.*,GEMINI,QWEN}.md",
    ".github/{copilot-instructions.md,instructions/,prompts/,agents/,chatmodes/,hooks/}",
    # What debuggers and other tools run when they are started here.
    ".{pdbrc,gdbinit,lldbinit,pythonrc,irbrc,pryrc,Rprofile,psqlrc,sqliterc,tmux.conf,screenrc}",
    "{mise,.mise}.toml",
    # What runs elsewhere, with other people's rights: CI and hooks.
    ".{github,gitea,forgejo}/{workflows,actions}/",
    ".{circleci,buildkite,woodpecker,semaphore,teamcity,gitlab,ci,husky,githooks}/",
    ".{gitlab-ci,travis,drone,woodpecker,appveyor,cirrus,pre-commit-config}.{yml,yaml}",
    "{appveyor,azure-pipelines,bitbucket-pipelines}.{yml,yaml}",
    "{Jenkinsfile,cloudbuild.yaml,cloudbuild.yml}",
    "{lefthook,.lefthook,lefthook-local,.lefthook-local}.{yml,yaml,toml,json}",
    ".pre-commit-hooks.yaml",
    # Where packages come from, and which: made by tools, not by hand.
    ".{npmrc,yarnrc,yarnrc.yml,pnp.cjs,bazelrc}",
    ".{yarn,cargo,pip}/",
    "{pip.conf,bunfig.toml}",
    "{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock}",
    "{uv,poetry,pdm,Pipfile,Cargo,Gemfile,composer,mix,pubspec,flake,Podfile}.lock",
    "{pylock.toml,pylock.*.toml,go.sum,Package.resolved,packages.lock.json,gradle.lockfile}",
    "{conda-lock.yml,.terraform.lock.hcl}",
    # The packages themselves: an interpreter, a language server and Steersman may load them at their next start.
    "{.venv,site-packages,node_modules}/",
    "venv/{bin,Scripts,pyvenv.cfg}",
    "{sitecustomize,usercustomize}.py",
    "*.pth",
    ".local/bin/",
    # A shell's start-up files, wherever they are.
    ".{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,inputrc,xprofile,xinitrc,xsessionrc}",
    ".{zshrc,zshenv,zprofile,zlogin,zlogout,kshrc,cshrc,tcshrc,login,logout,pam_environment}",
)
"""Changed only after a question, in every mode."""
