// One method for every native operation of the document. The dialects of other schedulers have clients of their own.
import { HEADER, comment, fitted, typeOf } from "./schemas.mjs";

/** The stream never ends, so src/events.ts reads it. */
const BY_HAND = new Set(["streamEvents"]);
/** Headers with an option for every request, or without use for a client that wants the response. */
const KNOWN_HEADERS = new Set(["Idempotency-Key", "If-Match", "If-None-Match", "Prefer"]);
/** Pages whose `limit` the client clamps to what the server allows. */
const CLAMPED = new Set(["getScheduleHistory"]);
const TENANT_ROOT = "/api/tenants/{tenant}";

const camel = (name) => name.replace(/[-_]+(\w)/g, (_, letter) => letter.toUpperCase());
const optionName = (header) => camel(header.replace(/^Belfry-/, "").replace(/^./, (letter) => letter.toLowerCase()));
const escaped = (path) => path.replace(/\{(\w+)\}/g, (_, name) => `\${part(${name})}`);

function native(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !/dialect/i.test(operation.tags[0]) && !BY_HAND.has(operation.operationId))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })));
}

/** The types of all successful responses. */
function answerType(operation) {
  const types = new Set();
  for (const [status, response] of Object.entries(operation.responses)) {
    const [[media, content] = []] = Object.entries(response.content ?? {});
    if (!status.startsWith("2")) continue;
    // The server sends 204 instead of 200 only if the client prefers no body.
    if (!media) types.add("void");
    else types.add(media === "application/json" ? typeOf(content.schema, "", "S.") : "string");
  }
  if (types.size > 1) types.delete("void");
  return [...types].join(" | ");
}

function shapeOf(document, operation) {
  const inTenant = operation.path.startsWith(`${TENANT_ROOT}/`);
  const parameters = operation.parameters ?? [];
  const of = (place) => parameters.filter((parameter) => parameter.in === place);
  const sequence = of("query").map(({ name }) => camel(name)).find((name) => name === "afterSequence");
  const limit = of("query").find(({ name }) => name === "limit");
  const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const hasMembers = media && !(content.schema.type === "object" && !content.schema.additionalProperties
    && !Object.keys(content.schema.properties ?? {}).length && !content.schema.$ref);
  const answer = answerType(operation);
  const page = document.components.schemas[answer.replace(/^S\./, "")]?.properties;
  return {
    path: of("path").map(({ name }) => name).filter((name) => !(inTenant && name === "tenant")),
    // A list that continues after a sequence number also takes it as its cursor: one name is enough.
    query: of("query").filter(({ name }) => !(name === "cursor" && sequence)),
    sequence,
    headers: of("header").filter(({ name }) => !KNOWN_HEADERS.has(name)),
    keyed: of("header").some(({ name }) => name === "Idempotency-Key"),
    matched: of("header").some(({ name }) => name === "If-Match"),
    body: hasMembers && {
      type: media === "application/json" ? typeOf(content.schema, "", "S.") : "string",
      optional: !operation.requestBody.required,
      media,
    },
    answer,
    item: page?.items?.items && typeOf(page.items.items, "", "S."),
    isPage: operation.method === "GET" && Boolean(page?.items) && of("query").some(({ name }) => name === "cursor"),
    limitMax: CLAMPED.has(operation.operationId) && limit.schema.maximum,
    isText: answer === "string",
    root: inTenant ? "${this.root}" + escaped(operation.path.slice(TENANT_ROOT.length)) : escaped(operation.path),
  };
}

function optionsType(name, shape) {
  const lines = shape.query.filter(({ name }) => name !== "fields").map((parameter) => {
    const type = parameter.name === "cursor" ? "string | number" : typeOf(parameter.schema);
    const mark = parameter.required ? "" : "?";
    return `${comment(parameter.description, "  ")}  ${camel(parameter.name)}${mark}: ${type};\n`;
  });
  lines.push(...shape.headers.map((header) =>
    `${comment(header.description, "  ")}  ${optionName(header.name)}?: ${typeOf(header.schema)};\n`));
  const generic = shape.query.some((parameter) => parameter.name === "fields");
  const bases = [
    "CallOptions",
    ...(shape.keyed ? ["Keyed"] : []), ...(shape.matched ? ["Matched"] : []), ...(generic ? ["Selected<F>"] : []),
  ];
  if (lines.length === 0) return { declaration: "", type: bases.join(" & "), generic };
  const title = `${name[0].toUpperCase()}${name.slice(1)}Options`;
  const parameters = generic ? "<F = string>" : "";
  return {
    declaration: `export interface ${title}${parameters} extends ${bases.join(", ")} {\n${lines.join("")}}\n\n`,
    type: generic ? `${title}<F>` : title, generic, required: shape.query.some((parameter) => parameter.required),
  };
}

function extras(shape, operation) {
  const renamed = shape.query.filter(({ name }) => camel(name) !== name);
  const headers = shape.headers.map(({ name }) => `${optionName(name)}: "${name}"`);
  const rows = [
    shape.body && "body",
    shape.body && shape.body.media !== "application/json" && `media: "${shape.body.media}"`,
    shape.isText && "isText: true",
    shape.keyed && "keyed: true",
    operation.method === "POST" && operation["x-permission"] === "read" && "repeatable: true",
    shape.limitMax && `limitMax: ${shape.limitMax}`,
    renamed.length && `query: { ${renamed.map(({ name }) => `${camel(name)}: "${name}"`).join(", ")} }`,
    headers.length && `headers: { ${headers.join(", ")} }`,
  ].filter(Boolean);
  return rows.length ? `, { ${rows.join(", ")} }` : "";
}

function callOf(operation, shape) {
  const more = extras(shape, operation);
  const line = `    return this.call("${operation.method}", \`${shape.root}\`, options${more});\n`;
  if (line.length <= 121) return line;
  const broken = line.replace("call(", "call(\n      ").replace("options, {", "options,\n      {");
  return broken.replace(/\);\n$/, ",\n    );\n");
}

function methodsOf(document, operation) {
  const shape = shapeOf(document, operation);
  const name = operation.operationId;
  const options = optionsType(name, shape);
  const typeOfPart = (part) => (part === "version" || part === "position" ? "number" : "string");
  const parameters = shape.path.map((part) => `${part}: ${typeOfPart(part)}`);
  const optionalBody = shape.body?.optional ? " = {}" : "";
  const body = shape.body ? [`body: ${shape.body.type}${optionalBody}`] : [];
  const generic = options.generic ? `<F extends FieldOf<${shape.answer}> = FieldOf<${shape.answer}>>` : "";
  const last = `options: ${options.type}${options.required ? "" : " = {}"}`;
  const answer = options.generic ? `Only<${shape.answer}, F>` : shape.answer;
  const method = `${comment(operation.summary, "  ")}  ${name}${generic}(
    ${[...parameters, ...body, last].join(", ")},
  ): Promise<${answer}> {
${callOf(operation, shape)}  }
`;
  const iterator = shape.isPage ? walk(name, shape, parameters, generic, options.type) : "";
  return { declaration: options.declaration, method: method + iterator };
}

/** The method that iterates over all pages of a list: `listRuns` has `iterRuns`. */
function walk(name, shape, parameters, generic, optionType) {
  const iterator = name.replace(/^(list|get)?(.)/, (_, __, letter) => `iter${letter.toUpperCase()}`);
  const item = generic ? `Pick<${shape.item}, F>` : shape.item;
  const next = shape.sequence ? "(cursor && { afterSequence: Number(cursor) })" : "(cursor && { cursor })";
  const names = shape.path.map((part) => `${part}, `).join("");
  return `
  /** Like \`${name}\`, but over the items of all pages. */
  ${iterator}${generic}(
    ${[...parameters, `options: ${optionType} = {}`].join(", ")},
  ): AsyncGenerator<${item}, void, undefined> {
    return iterate((cursor) =>
      this.${name}(${names}{ ...options, ...${next} }));
  }
`;
}

export function operationsSource(document) {
  const parts = native(document).map((operation) => methodsOf(document, operation));
  const declarations = parts.map(({ declaration }) => declaration).join("");
  return fitted(`${HEADER}import type {
  CallExtras, CallOptions, FieldOf, Keyed, Matched, Method, Only, Selected,
} from "../call.js";
import { part } from "../call.js";
import { iterate } from "../pages.js";
import type * as S from "./schemas.js";

${declarations}/** Every native operation of the HTTP API. \`BelfryClient\` implements \`call\`. */
export abstract class Operations {
  /** The path of the client's tenant. */
  protected abstract readonly root: string;
  protected abstract call<T>(method: Method, path: string, options: CallOptions, extras?: CallExtras): Promise<T>;

${parts.map(({ method }) => method).join("\n")}}
`);
}
