/** The path of a value in the document, in the form of ajv: a JSON pointer (RFC 6901). */
/** Reads one YAML document into plain values with their positions. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type ErrorCode,
  type YAMLMap,
} from 'yaml';
import type { PolicyProblem } from '../domain/policy/policy.js';
import { composeYaml, type SyntaxProblem } from './compose-yaml.js';

const LONGEST = 60;
/** Characters that PostgreSQL's JSON rejects or a terminal obeys: controls, single surrogates, direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/gu;

/** Returns text of a user for a message: on one line, short, and with unprintable characters replaced by U+FFFD. */
export function sanitizeExcerpt(text: string): string {
  const head = text.slice(0, LONGEST).replace(UNPRINTABLE, '\uFFFD');
  return text.length > LONGEST ? `${head.replace(/\uFFFD$/, '')}…` : head;
}

export const ROOT = '';

export const pointerTo = (parent: string, step: string | number): string =>
  `${parent}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the pointer of the parent. The parent of the root is the root. */
const parentPointer = (pointer: string): string => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));

/** Returns the steps of a pointer from the root. */
const toSteps = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Returns the pointer in the usual notation: `stages.testing.required_checks[0].name`. */
export const readableKey = (pointer: string): string =>
  toSteps(pointer)
    .map((step) => (/^[0-9]{1,4}$/.test(step) ? `[${step}]` : `.${sanitizeExcerpt(step)}`))
    .join('')
    .replace(/^\./, '');

/** Messages by the code of the parser. Other codes use the message of the parser. */
const SENTENCES: { readonly [C in ErrorCode]?: string } = {
  BAD_ALIAS: 'This is not the name of an alias.',
  BAD_DIRECTIVE: 'This directive is not known.',
  BAD_DQ_ESCAPE: 'This escape is not known; in double quotes a backslash is written twice.',
  BAD_INDENT: 'The indentation does not fit, or a bracket is not closed.',
  BAD_SCALAR_START: 'Text may not begin with this character; put it in quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'Two keys stand on one line; put the second on its own, or the text in quotes.',
  BLOCK_IN_FLOW: 'Inside brackets or braces, values are separated by commas.',
  KEY_OVER_1024_CHARS: 'This key is longer than 1024 characters.',
  MULTILINE_IMPLICIT_KEY: 'A key must stand on one line with its colon.',
  MULTIPLE_ANCHORS: 'A value can have one anchor only.',
  MULTIPLE_DOCS: 'The file holds more than one document; keep the first.',
  NON_STRING_KEY: 'A key must be plain text.',
  TAB_AS_INDENT: 'A tab indents this line; YAML is indented with spaces.',
};

/** Returns a problem of the YAML parser with its position. */
function yamlSyntaxProblem({ offset, code, message }: SyntaxProblem, lines: LineCounter): PolicyProblem {
  const { line, col } = lines.linePos(Math.max(0, offset));
  const sentence = (SENTENCES as Readonly<Record<string, string>>)[code];
  return { line, column: col, key: '', message: sentence ?? `${sanitizeExcerpt(message)}.` };
}

const MAX_DEPTH = 20;
const MAX_TOKENS = 20_000;
const MAX_VALUES = 4_000;
const MAX_ALIASES = 100;

/** 1-based. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlDocument {
  /** Values of JSON, and `NaN` and the infinities. */
  readonly value: unknown;
  /** The problems of the document. The value then contains the parts that could be read. */
  readonly problems: readonly PolicyProblem[];
  /** Returns the position of the value at a pointer, or of its nearest parent in the file. */
  readonly findPlace: (pointer: string) => Place;
  readonly placeOfKey: (pointer: string) => Place;
}

export type YamlReading =
  | { readonly ok: true; readonly document: YamlDocument }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * Reads YAML 1.2 with the core schema: a date is text, and so is `yes`. Duplicate keys, tags, merge keys, other YAML versions and a
 * second document are problems. Nesting, size and aliases are limited. Never throws.
 */
export function readYamlDocument(text: string): YamlReading {
  const lines = new LineCounter();
  const excess = findExcess(text);
  if (excess !== null) return { ok: false, problems: [excess] };
  const { document: parsed, problems: syntaxProblems } = composeYaml(text, lines.addNewLine);
  const problems: PolicyProblem[] = syntaxProblems.map((problem) => yamlSyntaxProblem(problem, lines));
  if (parsed !== null && parsed.directives?.yaml.version !== '1.2') {
    problems.push({ line: 1, column: 1, key: '', message: 'The file must be YAML 1.2; leave the directive out.' });
  }
  if (parsed === null || problems.length > 0) return { ok: false, problems };
  return { ok: true, document: new DocumentReader(lines).read(parsed) };
}

/**
 * Measures depth and length with the tokenizer, which does not recurse. The parser recurses for each level, and V8 may end the
 * process on an exhausted stack instead of throwing.
 */
function findExcess(text: string): PolicyProblem | null {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme)); // A generator runs only while it is read.
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
  /** The last value of each anchor, with the number of values in it. An alias returns this value itself, not a copy. */
  private readonly anchors = new Map<string, { readonly value: unknown; readonly count: number }>();
  /** Counts the values of an alias each time, because what reads the document visits them each time. */
  private valuesRead = 0;
  private aliasesRead = 0;

  constructor(private readonly lines: LineCounter) {}

  read(parsed: Document.Parsed): YamlDocument {
    const value = this.value(parsed.contents, ROOT);
    return {
      value,
      problems: this.problems,
      findPlace: (pointer) => closest(this.values, pointer),
      placeOfKey: (pointer) => this.keys.get(pointer) ?? closest(this.values, pointer),
    };
  }

  private value(node: ParsedNode | null, pointer: string): unknown {
    if (node === null) return null;
    const before = this.valuesRead;
    if (this.exceedsValues(1, node, pointer)) return null;
    this.values.set(pointer, this.placeAt(node));
    if (isAlias(node)) return this.aliased(node, pointer);
    if (node.tag !== undefined) this.refuse(node, pointer, `Tags are not allowed: ${sanitizeExcerpt(node.tag)}.`);
    const value = this.content(node, pointer);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, { value, count: this.valuesRead - before });
    return value;
  }

  private exceedsValues(more: number, node: ParsedNode, pointer: string): boolean {
    const isFirst = this.valuesRead <= MAX_VALUES;
    this.valuesRead += more;
    if (this.valuesRead <= MAX_VALUES) return false;
    if (isFirst) this.refuse(node, pointer, `The file holds more than ${MAX_VALUES} values.`);
    return true;
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
      if (key.anchor !== undefined) this.anchors.set(key.anchor, { value: name, count: 1 });
      if (earlier === undefined) {
        this.keys.set(at, this.placeAt(key));
        this.values.set(at, this.placeAt(key));
        entries.set(name, this.value(value, at));
      } else this.refuse(key, at, `The key occurs twice, first in line ${earlier.line}.`);
    }
    // Not an assignment, because `__proto__` is a usual key.
    return Object.fromEntries(entries);
  }

  private aliased(node: Alias.Parsed, pointer: string): unknown {
    this.aliasesRead += 1;
    if (this.aliasesRead === MAX_ALIASES + 1) this.refuse(node, pointer, `There are more than ${MAX_ALIASES} aliases.`);
    const anchor = this.anchors.get(node.source);
    if (anchor === undefined) {
      this.refuse(node, pointer, `No value before this has the anchor "${sanitizeExcerpt(node.source)}".`);
      return null;
    }
    return this.exceedsValues(anchor.count - 1, node, pointer) ? null : anchor.value;
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
  return pointer === ROOT ? { line: 1, column: 1 } : closest(places, parentPointer(pointer));
}
