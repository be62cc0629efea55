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
    ".{vscode,vs,idea,zed,helix,fleet,devcontainer,vim,nvim,emacs.d}/",
    "*.{code-workspace,sublime-project,sublime-workspace}",
    ".{nvimrc,exrc,vimrc,gvimrc,lvimrc,nvim.lua,kakrc,emacs,dir-locals.el,dir-locals-2.el,projectile}",
    ".{kateproject,kateconfig}*",
    ".config/{nvim,helix,zed,kak,emacs,Code,fish,systemd,autostart,git}/",
    ".gitconfig",
    ".{claude,codex,cursor,gemini,opencode,continue,kiro,roo,windsurf}/",
    ".{cursorrules,windsurfrules,clinerules,mcp.json,aider.conf.yml}",
    "{AGENTS,AGENTS.*,CLAUDE,CLAUDE.*,GEMINI}.md",
    ".github/{copilot-instructions.md,instructions/}",
    # What runs elsewhere, with other people's rights: CI and hooks.
    ".github/{workflows,actions}/",
    ".{circleci,buildkite,woodpecker,ci,husky,githooks}/",
    ".{gitlab-ci,travis,drone,woodpecker,appveyor,cirrus,pre-commit-config}.{yml,yaml}",
    "{appveyor,azure-pipelines,bitbucket-pipelines}.{yml,yaml}",
    "{Jenkinsfile,cloudbuild.yaml,cloudbuild.yml}",
    "{lefthook,.lefthook}.{yml,yaml,toml,json}",
    # Where packages come from, and which: made by tools, not by hand.
    ".{npmrc,yarnrc,yarnrc.yml}",
    "{package-lock.json,npm-shrinkwrap.json,yarn.lock,pnpm-lock.yaml,bun.lock,bun.lockb,deno.lock}",
    "{uv,poetry,pdm,Pipfile,Cargo,Gemfile,composer,mix,pubspec,flake,Podfile}.lock",
    "{pylock.toml,pylock.*.toml,go.sum,Package.resolved,packages.lock.json,gradle.lockfile}",
    "{conda-lock.yml,.terraform.lock.hcl}",
    # A shell's start-up files, wherever they are.
    ".{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,inputrc,xprofile,xinitrc,xsessionrc}",
    ".{zshrc,zshenv,zprofile,zlogin,zlogout}",
)
"""Changed only after a question, in every mode."""
