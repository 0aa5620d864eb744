// Writes docs/reference/sdk-typescript.md from the sources:
//   node scripts/reference.mjs           writes the page
//   node scripts/reference.mjs --check   fails if the page is not current
// It lists what the two entries of the package export, with the doc comments. The types of the API are left to the
// OpenAPI document and to the editor.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const WIDTH = 100;
const place = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAGE = place("../../../docs/reference/sdk-typescript.md");

const INTRODUCTION = `<!-- Written by sdk/typescript/scripts/reference.mjs from the sources: do not edit. -->
# TypeScript SDK

What the package \`belfry\` exports. The [README](../../sdk/typescript/README.md) shows how to use it.
Import the classes of workers from \`belfry/worker\`, everything else from \`belfry\`. \`S\` stands for
the types of the [HTTP API](http.md), which \`belfry\` exports, too.
`;

const source = (path) =>
  ts.createSourceFile(path, readFileSync(place(`../src/${path}`), "utf8"), ts.ScriptTarget.ES2022, true);

const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
const HIDDEN = new Set([ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword]);
const isPublic = (member) => !member.modifiers?.some(({ kind }) => HIDDEN.has(kind));

function named(path, name) {
  const found = source(path).statements.find((each) => each.name?.text === name);
  if (!found) throw new Error(`${path} has no ${name}`);
  return found;
}

const fill = (text, start = "") => {
  const lines = [];
  let line = start;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line.length + 1 + word.length > WIDTH && line !== start) {
      lines.push(line.trimEnd());
      line = start;
    }
    line += (line === start ? "" : " ") + word;
  }
  return [...lines, line].join("\n");
};

/** The doc comment as one text. */
function commentOf(node) {
  const found = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  return found ? (ts.getTextOfJSDocComment(found.comment) ?? "").replace(/\s+/g, " ").trim() : "";
}

/** The text before the body, in one line. */
function headOf(node) {
  const end = node.body ? node.body.getStart() : node.getEnd();
  return node.getSourceFile().text.slice(node.getStart(), end)
    .replace(/\b(readonly|override|public|async) /g, "").replace(/\s+/g, " ")
    .replace(/([(<]) /g, "$1").replace(/,? ([)>](?!=))/g, "$1").replace(/;$/, "").trim();
}

/** Splits the parameters of a signature that is too long. */
function broken(text) {
  if (text.length <= WIDTH) return text;
  const open = text.indexOf("(");
  let depth = 0;
  let close = -1;
  const cuts = [];
  for (let at = open; at < text.length && close < 0; ++at) {
    const sign = text[at];
    if ("([{".includes(sign) || (sign === "<")) ++depth;
    else if (")]}".includes(sign) || (sign === ">" && text[at - 1] !== "=")) --depth;
    if (depth === 0 && at > open) close = at;
    else if (depth === 1 && sign === ",") cuts.push(at);
  }
  if (open < 0 || close < 0) return text;
  const parts = [open, ...cuts].map((from, each) => text.slice(from + 1, cuts[each] ?? close).trim());
  const inner = parts.filter(Boolean).reduce((lines, part) => {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 2 <= WIDTH) lines[lines.length - 1] = `${last} ${part},`;
    else lines.push(`  ${part},`);
    return lines;
  }, []);
  return `${text.slice(0, open + 1)}\n${inner.join("\n")}\n${text.slice(close)}`;
}

const described = (node, text = headOf(node)) => {
  const comment = commentOf(node);
  return (comment ? `${fill(comment, "// ")}\n` : "") + broken(text);
};

const code = (parts, gap = "\n") => `\`\`\`ts\n${parts.join(gap)}\n\`\`\``;

const isShown = (member) =>
  isPublic(member) && member.name !== undefined && !(ts.isPropertyDeclaration(member) && member.name.text === "name");

/** A class or an interface: its comment and its members. */
function part(title, path, name, { constructor = true } = {}) {
  const node = named(path, name);
  const parts = [];
  for (const member of node.members) {
    if (ts.isConstructorDeclaration(member)) {
      if (constructor) parts.push(described(member, headOf(member).replace(/^constructor/, `new ${name}`).replace(/private /g, "")));
    } else if (isShown(member)) {
      parts.push(described(member));
    }
  }
  const comment = commentOf(node);
  return `${title}\n\n${comment ? `${fill(comment)}\n\n` : ""}${code(parts)}`;
}

function operations() {
  const { members } = named("generated/operations.ts", "Operations");
  const methods = members.filter((each) => ts.isMethodDeclaration(each) && isPublic(each));
  // The default of a type parameter repeats its bound.
  const shown = methods.map((each) => described(each, headOf(each).replace(/(<F extends (FieldOf<[^<>]*>)) = \2/, "$1")));
  return `### Operations\n\nEvery operation of the HTTP API, in the order of its paths.\n\n${code(shown, "\n\n")}`;
}

function classRows(path) {
  const rows = source(path).statements.filter((each) => ts.isClassDeclaration(each) && isExported(each)).map((each) => {
    const base = each.heritageClauses?.[0]?.types[0]?.expression.getText() ?? "";
    return `| \`${each.name.text}\` | \`${base}\` | ${commentOf(each)} |`;
  });
  return ["| error | is a | when |", "|---|---|---|", ...rows].join("\n");
}

const page = [
  INTRODUCTION,
  part("## Client", "client.ts", "BelfryClient"),
  part("### ClientOptions", "client.ts", "ClientOptions"),
  part("### CallOptions", "call.ts", "CallOptions"),
  operations(),
  part("## Handles\n\n### ScheduleHandle", "schedule_handle.ts", "ScheduleHandle", { constructor: false }),
  part("### RunHandle", "run_handle.ts", "RunHandle", { constructor: false }),
  part("### EventsOptions", "events.ts", "EventsOptions"),
  part("## Worker", "worker/worker.ts", "Worker"),
  part("### WorkerOptions", "worker/worker.ts", "WorkerOptions"),
  part("### TaskOptions", "worker/worker.ts", "TaskOptions"),
  part("### TaskContext", "worker/attempt.ts", "TaskContext"),
  part("### DeclaredSchedule", "worker/declarations.ts", "DeclaredSchedule"),
  `## Errors\n\n${classRows("errors.ts")}`,
  part("### ApiError", "errors.ts", "ApiError", { constructor: false }),
  `### Failures of tasks\n\n${classRows("worker/failures.ts")}`,
  part("### FailureOptions", "worker/failures.ts", "FailureOptions"),
].map((each) => each.trimEnd()).join("\n\n") + "\n";

if (!process.argv.includes("--check")) {
  writeFileSync(PAGE, page);
} else if (readFileSync(PAGE, "utf8") !== page) {
  console.error('docs/reference/sdk-typescript.md is not current: run "npm run reference"');
  process.exitCode = 1;
}
