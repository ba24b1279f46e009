import ts from 'typescript';

/** A function that uses a document of another server before `authority()` has allowed it. */
export interface GoingAround {
  /** Name of the function, or of the next one around it that has one. */
  readonly entry: string;
  readonly why: string;
}

/** Entries of a source file. */
export interface Scanned {
  /** Functions that take a document: fetch one, parse a body, or read an object within an activity. */
  readonly entries: readonly string[];
  readonly around: readonly GoingAround[];
}

/** Decide whether to believe a document: by itself, or by the reader of stamps, which asks. */
const ASKING = new Set(['authority', 'isStampOf']);
/** Look only at the kind of an outcome. */
const GUARDING = new Set(['isProblem', 'missingOf']);
/** Properties of an outcome that are no part of the document. */
const OUTCOME = new Set(['kind', 'url', 'reason', 'status']);
/** Properties of an activity by which the inbox finds the key that must have signed it. */
const SIGNED_BY = new Set(['actor', 'type']);

type Named = ts.FunctionLikeDeclaration;

/** Finds the entries of one source file, each by itself. */
export function scanEntries(text: string): Scanned {
  const file = ts.createSourceFile('entry.ts', text, ts.ScriptTarget.Latest, true);
  const functions = new Map<string, Named>();
  const takes: ts.CallExpression[] = [];
  const embedded: ts.CallExpression[] = [];
  visit(file, (node) => {
    if (ts.isFunctionLike(node)) functions.set(nameOf(node as Named) ?? '', node as Named);
    if (!ts.isCallExpression(node)) return;
    if (isTake(node)) takes.push(node);
    if (calleeOf(node) === 'objectOf' && /^document\.(?:object|instrument|target|result)$/.test(argumentOf(node)))
      embedded.push(node);
  });
  const around: GoingAround[] = [];
  for (const node of takes) {
    const why = faultOf(node, functions);
    if (why !== undefined) around.push({ entry: entryOf(node), why });
  }
  for (const node of embedded) {
    if (!/\ballowed\b|\bisBy\(/.test(bodyOf(node)))
      around.push({ entry: entryOf(node), why: 'reads an object within an activity, whoever wrote it' });
  }
  return { entries: [...takes, ...embedded].map(entryOf), around };
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

/** Returns the name of the function that is called: `f` of `f()`, `x.f()` and `this.#f()`. */
function calleeOf({ expression }: ts.CallExpression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

const argumentOf = (call: ts.CallExpression): string => call.arguments[0]?.getText() ?? '';

const isTake = (call: ts.CallExpression): boolean =>
  calleeOf(call) === 'parseObject' || (calleeOf(call) === 'object' && ts.isPropertyAccessExpression(call.expression));

function nameOf(node: Named): string | undefined {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : undefined;
}

/** Returns the innermost function around a node. */
function functionOf(node: ts.Node): Named | undefined {
  return ts.findAncestor(node.parent, ts.isFunctionLike) as Named | undefined;
}

const bodyOf = (node: ts.Node): string => functionOf(node)?.getText() ?? '';

function entryOf(node: ts.Node): string {
  for (let at = functionOf(node); at !== undefined; at = functionOf(at)) {
    const name = nameOf(at);
    if (name !== undefined) return name;
  }
  return 'the file';
}

/** Returns what is wrong with the use of a document that a call returns; undefined if `authority()` decides first. */
function faultOf(take: ts.CallExpression, functions: ReadonlyMap<string, Named>): string | undefined {
  let value: ts.Node = take;
  while (ts.isAwaitExpression(value.parent) || ts.isParenthesizedExpression(value.parent)) value = value.parent;
  const { parent } = value;
  const holder = ts.isVariableDeclaration(parent) ? parent.name : ts.isBinaryExpression(parent) ? parent.left : parent;
  const within = functionOf(take);
  if (!ts.isIdentifier(holder) || within === undefined) return 'uses the document where it takes it';
  return faultIn(within, holder.text, take.end, functions, new Set());
}

/** Follows a variable through a function, in the order of the text, up to the question to `authority()`. */
function faultIn(
  within: Named,
  variable: string,
  from: number,
  functions: ReadonlyMap<string, Named>,
  seen: Set<Named>,
): string | undefined {
  if (seen.has(within)) return 'never asks';
  seen.add(within);
  const uses: ts.Identifier[] = [];
  visit(within, (node) => {
    if (ts.isIdentifier(node) && node.text === variable && node.pos >= from && isUse(node)) uses.push(node);
  });
  for (const use of uses) {
    const verdict = judged(use, functions, seen);
    if (verdict === 'asks') return undefined;
    if (verdict !== 'harmless') return verdict;
  }
  return 'never asks';
}

/** Returns false for names that only look like the variable: properties, keys and declarations. */
function isUse({ parent, text, pos }: ts.Identifier): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.expression.pos === pos;
  if (ts.isBinaryExpression(parent) && parent.left.getText() === text)
    return parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken;
  return !ts.isParameter(parent) && !(ts.isVariableDeclaration(parent) && parent.name.pos === pos);
}

/** Judges one use of a document that is not decided about yet. */
function judged(use: ts.Identifier, functions: ReadonlyMap<string, Named>, seen: Set<Named>): string {
  let value: ts.Node = use;
  if (ts.isPropertyAccessExpression(use.parent)) {
    const property = use.parent.name.text;
    if (OUTCOME.has(property) || SIGNED_BY.has(property)) return 'harmless';
    if (property !== 'value') return `reads ${use.parent.getText()} before it asks`;
    value = use.parent;
  }
  const { parent } = value;
  if (ts.isReturnStatement(parent) && isGuarded(parent, use.text)) return 'harmless';
  if (!ts.isCallExpression(parent) || parent.expression === value) return `uses ${parent.getText()} before it asks`;
  const name = calleeOf(parent);
  if (ASKING.has(name)) return parent.arguments[0] === value ? 'asks' : `gives ${name}() another document`;
  if (GUARDING.has(name)) return 'harmless';
  return handedOver(parent, value, functions, seen);
}

/** Returns true if a statement returns a refusal instead of a document. */
const isGuarded = ({ parent }: ts.ReturnStatement, variable: string): boolean =>
  ts.isIfStatement(parent) && parent.expression.getText() === `isProblem(${variable})`;

/** Follows a document to another function of the file. */
function handedOver(
  call: ts.CallExpression,
  value: ts.Node,
  functions: ReadonlyMap<string, Named>,
  seen: Set<Named>,
): string {
  const next = functions.get(calleeOf(call));
  const parameter = next?.parameters[call.arguments.indexOf(value as ts.Expression)]?.name;
  if (next?.body === undefined || parameter === undefined || !ts.isIdentifier(parameter))
    return `gives the document to ${calleeOf(call)}() before it asks`;
  return faultIn(next, parameter.text, next.body.pos, functions, seen) ?? 'asks';
}
