/** Reads one YAML document into plain values, and tells where each of them stands. */
import { isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, Parser } from 'yaml';
import type { Alias, Document, ParsedNode, YAMLMap } from 'yaml';
import type { PolicyProblem } from '../../../domain/policy/policy.js';
import { parentOf, pointerTo, readableKey, ROOT } from './document-path.js';
import { excerpt } from './excerpt.js';
import { yamlSyntaxProblem } from './yaml-syntax-problem.js';

const MAX_DEPTH = 20;
const MAX_TOKENS = 20_000;
const MAX_VALUES = 4_000;
const MAX_ALIASES = 100;
/** One mistake drags others behind it: the first few tell more than all of them. */
const MAX_SYNTAX_PROBLEMS = 10;

/** 1-based. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlDocument {
  /** Nothing but what JSON can hold, `NaN` and the infinities besides. */
  readonly value: unknown;
  /** What the document does that this reader refuses; the value is then what could be read. */
  readonly problems: readonly PolicyProblem[];
  /** Of the value at a pointer, or of the closest thing around it that the file shows. */
  readonly placeOf: (pointer: string) => Place;
  readonly placeOfKey: (pointer: string) => Place;
}

export type YamlReading =
  | { readonly ok: true; readonly document: YamlDocument }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * Reads YAML 1.2 in its core schema: a day is text, `yes` is text. Duplicate keys, tags, merge keys, other YAML
 * versions and more than one document are problems; nesting, size and aliases are bounded. Never throws.
 */
export function readYamlDocument(text: string): YamlReading {
  const lines = new LineCounter();
  const excess = findExcess(text);
  if (excess !== null) return { ok: false, problems: [excess] };
  const parsed = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false, // told by the reader below, with the line of the first
    resolveKnownTags: false,
    version: '1.2',
  });
  const problems = [...parsed.errors, ...parsed.warnings.filter(({ code }) => code === 'BAD_DIRECTIVE')]
    .slice(0, MAX_SYNTAX_PROBLEMS)
    .map((error) => yamlSyntaxProblem(error, lines));
  if (parsed.directives?.yaml.version !== '1.2') {
    problems.unshift({ line: 1, column: 1, key: '', message: 'The file must be YAML 1.2; leave the directive out.' });
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, document: new DocumentReader(lines).read(parsed) };
}

/**
 * The parser's composer calls itself for each level, and on an exhausted stack V8 may end the whole process instead of
 * throwing. So depth and length are measured first, by the tokenizer, which does not recurse.
 */
function findExcess(text: string): PolicyProblem | null {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme)); // a generator: it does its work when it is read
    tokens += 1;
    const isDeep = parser.stack.length > MAX_DEPTH && parser.stack.filter(isCollectionToken).length > MAX_DEPTH;
    if (!isDeep && tokens <= MAX_TOKENS) continue;
    const { line, col } = lines.linePos(parser.offset);
    const message = isDeep ? `Values may be nested ${MAX_DEPTH} deep at most.` : 'The file has too many parts.';
    return { line, column: col, key: '', message };
  }
  return null;
}

const isCollectionToken = ({ type }: { readonly type: string }): boolean =>
  type === 'block-map' || type === 'block-seq' || type === 'flow-collection';

class DocumentReader {
  private readonly problems: PolicyProblem[] = [];
  private readonly values = new Map<string, Place>();
  private readonly keys = new Map<string, Place>();
  /** An alias stands for the value read last under its name, so values are shared and never multiplied. */
  private readonly anchors = new Map<string, unknown>();
  private valuesRead = 0;
  private aliasesRead = 0;

  constructor(private readonly lines: LineCounter) {}

  read(parsed: Document.Parsed): YamlDocument {
    const value = this.value(parsed.contents, ROOT);
    return {
      value,
      problems: this.problems,
      placeOf: (pointer) => closest(this.values, pointer),
      placeOfKey: (pointer) => this.keys.get(pointer) ?? closest(this.values, pointer),
    };
  }

  private value(node: ParsedNode | null, pointer: string): unknown {
    if (node === null) return null;
    this.valuesRead += 1;
    if (this.valuesRead > MAX_VALUES) {
      if (this.valuesRead === MAX_VALUES + 1)
        this.refuse(node, pointer, `The file holds more than ${MAX_VALUES} values.`);
      return null;
    }
    this.values.set(pointer, this.placeAt(node));
    if (isAlias(node)) return this.aliased(node, pointer);
    if (node.tag !== undefined) this.refuse(node, pointer, `Tags are not allowed: ${excerpt(node.tag)}.`);
    const value = this.content(node, pointer);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, value);
    return value;
  }

  private content(node: Exclude<ParsedNode, Alias>, pointer: string): unknown {
    if (isSeq(node)) return node.items.map((item, index) => this.value(item, pointerTo(pointer, index)));
    if (isMap(node)) return this.mapping(node, pointer);
    return isScalar(node) ? node.value : null;
  }

  private mapping(node: YAMLMap<ParsedNode, ParsedNode | null>, pointer: string): unknown {
    const entries = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      if (!isScalar(key) || typeof key.value !== 'string') {
        this.refuse(key, pointer, 'A key must be plain text.');
        continue;
      }
      const name = key.value;
      const at = pointerTo(pointer, name);
      const earlier = this.keys.get(at);
      if (key.tag !== undefined) this.refuse(key, at, 'Tags are not allowed.');
      if (key.anchor !== undefined) this.anchors.set(key.anchor, name);
      if (earlier === undefined) {
        this.keys.set(at, this.placeAt(key));
        this.values.set(at, this.placeAt(key));
        entries.set(name, this.value(value, at));
      } else this.refuse(key, at, `The key stands twice; first in line ${earlier.line}.`);
    }
    // Not by assignment: `__proto__` is a key like any other.
    return Object.fromEntries(entries);
  }

  private aliased(node: Alias.Parsed, pointer: string): unknown {
    this.aliasesRead += 1;
    if (this.aliasesRead === MAX_ALIASES + 1) this.refuse(node, pointer, `There are more than ${MAX_ALIASES} aliases.`);
    if (!this.anchors.has(node.source)) {
      this.refuse(node, pointer, `No value before this has the anchor "${excerpt(node.source)}".`);
    }
    return this.anchors.get(node.source) ?? null;
  }

  private placeAt(node: ParsedNode): Place {
    const { line, col } = this.lines.linePos(node.range[0]);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  private refuse(node: ParsedNode, pointer: string, message: string): void {
    this.problems.push({ ...this.placeAt(node), key: readableKey(pointer), message });
  }
}

function closest(places: ReadonlyMap<string, Place>, pointer: string): Place {
  const place = places.get(pointer);
  if (place !== undefined) return place;
  return pointer === ROOT ? { line: 1, column: 1 } : closest(places, parentOf(pointer));
}
