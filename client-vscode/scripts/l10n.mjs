// Collects the texts of the extension for translators into l10n/bundle.l10n.json: node scripts/l10n.mjs [--check]
//
// A text is the first argument of t(…), l10n.t(…) or vscode.l10n.t(…); English is its key. --check: says what differs. Words
// that the page would show without a t(…) are a fault: between tags, and in attributes that are read or heard.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundle = join(root, "l10n", "bundle.l10n.json");

const HEARD = new Set(["alt", "aria-description", "aria-label", "aria-roledescription", "label", "placeholder", "title"]);
const faults = [];
const texts = new Set();
for (const folder of ["src", "webview"]) {
  for (const name of readdirSync(join(root, folder), { recursive: true })) {
    if (/\.tsx?$/.test(name)) collect(join(root, folder, name));
  }
}
const now = `${JSON.stringify(Object.fromEntries([...texts].sort().map((text) => [text, text])), null, 2)}\n`;

if (process.argv.includes("--check")) {
  let before = "{}";
  try {
    before = readFileSync(bundle, "utf8");
  } catch {
    // Not there: everything differs.
  }
  if (now !== before) faults.push("l10n/bundle.l10n.json is not current: npm run l10n");
} else {
  writeFileSync(bundle, now);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function collect(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isCallExpression(node) && isTranslation(node.expression)) take(source, node);
    else if (isShown(node) && /[a-z]{2,}/.test(node.text)) fault(source, node, `not translated: ${node.text.trim()}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function isTranslation(callee) {
  if (ts.isIdentifier(callee)) return callee.text === "t";
  return ts.isPropertyAccessExpression(callee) && callee.name.text === "t" && /(^|\.)l10n$/.test(callee.expression.getText());
}

/** A text between tags, of an attribute that people read or hear, of a notification, or of what could not be done. */
function isShown(node) {
  if (ts.isJsxText(node)) return true;
  if (!ts.isStringLiteralLike(node)) return false;
  const { parent } = node;
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.arguments?.[0] === node) {
    return /^(Refused|.*\.show(Error|Information|Warning)Message|.*\.setStatusBarMessage)$/.test(parent.expression.getText());
  }
  const within = ts.isJsxExpression(parent) ? parent.parent : parent;
  if (ts.isJsxElement(within) || ts.isJsxFragment(within)) return true;
  return ts.isJsxAttribute(within) && HEARD.has(within.name.getText());
}

function fault(source, node, text) {
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  faults.push(`${source.fileName}:${line + 1}: ${text}`);
}

function take(source, call) {
  const texts_ = textsOf(call.arguments[0]);
  if (texts_) return texts_.forEach((text) => texts.add(text));
  // Texts that are handed on are collected where they are written.
  if (call.arguments[0] && ts.isIdentifier(call.arguments[0])) return;
  fault(source, call, "the text of t(…) must be written out");
}

function textsOf(node) {
  if (!node) return undefined;
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  if (ts.isConditionalExpression(node)) {
    const both = [textsOf(node.whenTrue), textsOf(node.whenFalse)];
    return both.every(Boolean) ? both.flat() : undefined;
  }
  return undefined;
}
