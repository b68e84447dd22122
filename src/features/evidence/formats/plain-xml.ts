import type { ReportLimits } from './format.js';
import { ReportError } from './report-error.js';
import type { ReportText } from './report-text.js';
import { plain, plainCharacters, plainValue } from './plain-characters.js';
import { localName, READABLE_ENCODING, type XmlRefusal, type XmlVisitor } from './xml-visitor.js';

/** What is longer is left to the parser of all XML, which needs not have all of it to go on. */
const LONGEST_TOKEN = 4_194_304;

/** `<?xml … ?>` as it is nearly always written (XML 1.0, § 2.8). */
const DECLARATION =
  /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])(?<encoding>[A-Za-z][\w.-]*)\2)?(?: standalone=(["'])(?:yes|no)\4)?[ \t\n]*\?>$/;

const [TAB, LINE_END, SPACE] = [0x09, 0x0a, 0x20];
const [BANG, QUOTE, APOSTROPHE, SLASH] = [0x21, 0x22, 0x27, 0x2f];
const [LESS, EQUALS, GREATER, QUESTION] = [0x3c, 0x3d, 0x3e, 0x3f];

/** Where the text ends before the token does. */
const UNFINISHED = -1;

/**
 * Reads what nearly every report is: well-formed XML without a DTD, a processing instruction, a carriage return, or a
 * name beyond ASCII. The visitor is told just what `readAnyXml` would tell it, in less than half of the time. Null at the first
 * thing that is anything else, be it a fault or merely rare: then nothing that this visitor heard counts.
 */
export function readPlainXml<V extends XmlVisitor>(
  report: ReportText,
  limits: ReportLimits,
  visitorOf: (refusal: XmlRefusal) => V,
): V | null {
  const visitor = visitorOf(notPlain);
  const reading = new PlainReading(visitor, limits);
  try {
    for (const stretch of report.stretches()) reading.take(stretch);
    reading.end();
    return visitor;
  } catch (error) {
    if (error instanceof ReportError) return null;
    throw error;
  }
}

/** Is never shown: whoever reads the report then finds the fault, if it is one, and its place. */
const notPlain: XmlRefusal = (reason) => new ReportError('', 1, null, reason);

class PlainReading {
  /** The names of the elements that are open. */
  private readonly path: string[] = [];
  /** What came and is not told: a token that has not ended. */
  private rest = '';
  /** So much of it is looked at the next time: twice as much as the last time, so that a long token takes no more than its share. */
  private enough = 0;
  private atBeginning = true;
  private hadRoot = false;

  constructor(
    private readonly visitor: XmlVisitor,
    private readonly limits: ReportLimits,
  ) {}

  take(stretch: string): void {
    this.rest += stretch;
    if (this.rest.length >= this.enough) this.look();
  }

  end(): void {
    this.look();
    const { rest } = this;
    if (!this.hadRoot || this.path.length > 0 || skipSpace(rest, 0) < rest.length) throw notPlain('no end');
    if (rest !== '') this.visitor.text(rest);
  }

  /** Tells of all that has ended. */
  private look(): void {
    const text = this.rest;
    let at = 0;
    for (let end = this.token(text, at); end !== UNFINISHED; end = this.token(text, at)) {
      at = end;
      this.atBeginning = false;
    }
    this.rest = text.slice(at);
    if (this.rest.length > LONGEST_TOKEN) throw notPlain('a long token');
    this.enough = 2 * this.rest.length;
  }

  /** Tells of what begins there, and answers where it has ended. */
  private token(text: string, at: number): number {
    if (text.charCodeAt(at) !== LESS) return this.characters(text, at);
    const next = text.charCodeAt(at + 1);
    if (next === SLASH) return this.closeTag(text, at);
    if (next === BANG) return this.section(text, at);
    if (next === QUESTION) return this.declaration(text, at);
    return this.openTag(text, at);
  }

  private characters(text: string, at: number): number {
    const end = text.indexOf('<', at);
    if (end === -1) return UNFINISHED;
    const piece = text.slice(at, end);
    if (skipSpace(text, at) === end) {
      // Before all else it is passed over.
      if (!this.atBeginning) this.visitor.text(piece);
    } else {
      if (this.path.length === 0 || piece.includes(']]>')) throw notPlain('text where there is none');
      this.visitor.text(plainCharacters(piece, notPlain));
    }
    return end;
  }

  private closeTag(text: string, at: number): number {
    const name = this.path.at(-1) ?? '';
    const nameEnd = at + 2 + name.length;
    if (nameEnd >= text.length) return UNFINISHED;
    if (name === '' || !text.startsWith(name, at + 2)) throw notPlain('an end of something else');
    const end = skipSpace(text, nameEnd);
    if (end === text.length) return UNFINISHED;
    if (text.charCodeAt(end) !== GREATER) throw notPlain('an end of something else');
    this.path.pop();
    this.visitor.close(localName(name));
    return end + 1;
  }

  private section(text: string, at: number): number {
    const isComment = text.startsWith('<!--', at);
    const from = at + (isComment ? 4 : 9);
    if (from >= text.length) return UNFINISHED;
    if (!isComment && !text.startsWith('<![CDATA[', at)) throw notPlain('a declaration');
    const end = text.indexOf(isComment ? '--' : ']]>', from);
    if (end === -1 || end + 2 >= text.length) return UNFINISHED;
    if (text.charCodeAt(end + 2) !== GREATER) throw notPlain('two hyphens within a comment');
    const content = plain(text.slice(from, end), notPlain);
    if (!isComment) {
      if (this.path.length === 0) throw notPlain('text outside of the root');
      this.visitor.text(content);
    }
    return end + 3;
  }

  private declaration(text: string, at: number): number {
    const end = text.indexOf('?>', at);
    if (end === -1) return UNFINISHED;
    const declared = this.atBeginning ? DECLARATION.exec(text.slice(at, end + 2)) : null;
    const encoding = declared?.groups?.['encoding'] ?? 'utf-8';
    if (declared === null || !READABLE_ENCODING.test(encoding)) throw notPlain('an instruction');
    return end + 2;
  }

  private openTag(text: string, at: number): number {
    let end = skipName(text, at + 1);
    if (end === text.length) return UNFINISHED;
    if (end === at + 1) throw notPlain('no name');
    const name = text.slice(at + 1, end);
    const attributes = new Map<string, string>();
    for (;;) {
      const from = skipSpace(text, end);
      const code = text.charCodeAt(from);
      if (code === GREATER || code === SLASH) {
        end = from;
        break;
      }
      if (from === text.length) return UNFINISHED;
      if (from === end) throw notPlain('no space before an attribute');
      end = this.attribute(text, from, attributes);
      if (end === UNFINISHED) return UNFINISHED;
    }
    const isEmpty = text.charCodeAt(end) === SLASH;
    if (isEmpty) end += 1;
    if (end === text.length) return UNFINISHED;
    if (text.charCodeAt(end) !== GREATER) throw notPlain('no end of a tag');
    this.open(name, attributes, isEmpty);
    return end + 1;
  }

  private attribute(text: string, at: number, attributes: Map<string, string>): number {
    const nameEnd = skipName(text, at);
    const from = nameEnd + 2;
    if (from >= text.length) return UNFINISHED;
    const quote = text.charCodeAt(nameEnd + 1);
    if (nameEnd === at || text.charCodeAt(nameEnd) !== EQUALS || (quote !== QUOTE && quote !== APOSTROPHE)) {
      throw notPlain('an attribute');
    }
    const name = text.slice(at, nameEnd);
    const end = text.indexOf(quote === QUOTE ? '"' : "'", from);
    if (end === -1) return UNFINISHED;
    const value = plainValue(text.slice(from, end), notPlain);
    const { xmlAttributes, xmlAttributeLength } = this.limits;
    if (attributes.has(name) || attributes.size >= xmlAttributes || value.length > xmlAttributeLength) {
      throw notPlain('attributes');
    }
    attributes.set(name, value);
    return end + 1;
  }

  private open(name: string, attributes: ReadonlyMap<string, string>, isEmpty: boolean): void {
    if (this.path.length === 0 && this.hadRoot) throw notPlain('a second root');
    if (this.path.length >= this.limits.xmlDepth) throw notPlain('a depth');
    this.hadRoot = true;
    this.visitor.open(localName(name), attributes);
    if (isEmpty) this.visitor.close(localName(name));
    else this.path.push(name);
  }
}

/** Which of the ASCII characters may begin a name, and which may follow (XML 1.0, § 2.3). */
const [NAME_STARTS, NAME_CHARACTERS] = [/[A-Za-z_:]/, /[\w:.-]/].map((allowed) =>
  Uint8Array.from({ length: 128 }, (_, code) => (allowed.test(String.fromCharCode(code)) ? 1 : 0)),
) as [Uint8Array, Uint8Array];

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === SPACE || code === LINE_END || code === TAB;) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

/** Past the name that begins there; where none does, there. */
function skipName(text: string, from: number): number {
  if (NAME_STARTS[text.charCodeAt(from)] !== 1) return from;
  let at = from + 1;
  while (NAME_CHARACTERS[text.charCodeAt(at)] === 1) at += 1;
  return at;
}
