import { type SaxesAttributePlain, SaxesParser } from 'saxes';
import type { ReportLimits } from './report-format.js';
import { ReportError, type ReportText } from './report-text.js';
import { explainEncoding } from './xml-prolog.js';

export type XmlAttributes = ReadonlyMap<string, string>;

/** The handlers of a format for an XML document. Names of elements have no namespace prefix, names of attributes have it. */
export interface XmlVisitor {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Called with parts of character data, including CDATA sections. */
  text(chunk: string): void;
}

/** Creates an error at the present position of the reader. */
export type CreateXmlError = (reason: string) => ReportError;

/** The number of characters per write. The parser joins the parts of a token, so its memory depends on the longest token. */
const CHUNK_CHARACTERS = 65_536;

/** The names of the encodings of the bytes. A byte order mark of UTF-16 has priority over a declaration of UTF-8. */
const READABLE_ENCODINGS = { 'UTF-8': /^utf-?8$/i, 'UTF-16': /^utf-?(?:8|16(?:le|be)?)$/i } as const;
/** Encodings whose first 128 characters are those of UTF-8. */
const LIKE_ASCII = /^(?:us-ascii|ascii|iso-8859-\d{1,2}|latin-?\d{1,2}|windows-125\d|cp125\d)$/i;
const NON_ASCII = /[^\0-\x7f]/;
const QUOTED = /"[^"]*"|'[^']*'/g;

/**
 * A subclass reserves space for all handlers. On an instance of the class itself, the eighth handler makes V8 store its
 * members in a dictionary, and parsing takes six times as long.
 */
class PreallocatedSaxParser extends SaxesParser {}

/**
 * Streams a document through a strict parser and returns the visitor. External DTDs are never fetched. An internal subset is
 * rejected, so only the five predefined entities exist.
 * @throws ReportError at the first violation of well-formedness or of a limit.
 */
export function readXml<V extends XmlVisitor>(
  report: ReportText,
  limits: ReportLimits,
  createVisitor: (toError: CreateXmlError) => V,
): V {
  const parser = new PreallocatedSaxParser();
  const toError: CreateXmlError = (reason) => new ReportError(report.file, parser.line, parser.columnIndex + 1, reason);
  const visitor = createVisitor(toError);
  let depth = 0;
  let attributes = new Map<string, string>();

  parser.on('error', (error) => {
    throw toError(`not well-formed XML: ${formatReason(error)}`);
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding === undefined || READABLE_ENCODINGS[report.encoding].test(encoding)) return;
    if (!LIKE_ASCII.test(encoding) || NON_ASCII.test(report.text)) throw toError(explainEncoding(encoding));
  });
  parser.on('doctype', (declaration) => {
    if (declaration.replace(QUOTED, '').includes('[')) {
      throw toError('an internal DTD subset is not allowed');
    }
  });
  parser.on('opentagstart', () => {
    depth += 1;
    attributes = new Map();
    if (depth > limits.xmlDepth) throw toError(`nested more than ${limits.xmlDepth} elements deep`);
  });
  parser.on('attribute', ({ name, value }: SaxesAttributePlain) => {
    if (attributes.size >= limits.xmlAttributes) {
      throw toError(`an element has more than ${limits.xmlAttributes} attributes`);
    }
    if (value.length > limits.xmlAttributeLength) {
      throw toError(`an attribute is longer than ${limits.xmlAttributeLength} characters`);
    }
    attributes.set(name, value);
  });
  parser.on('opentag', ({ name }) => visitor.open(localName(name), attributes));
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    visitor.close(localName(name));
  });
  parser.on('text', (chunk) => visitor.text(chunk));
  parser.on('cdata', (chunk) => visitor.text(chunk));

  for (const chunk of report.chunks()) {
    for (let at = 0; at < chunk.length; at += CHUNK_CHARACTERS) parser.write(chunk.slice(at, at + CHUNK_CHARACTERS));
  }
  parser.close();
  return visitor;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Returns the parser's message without the position, which the error states itself. */
function formatReason(error: Error): string {
  return error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
}

const COUNT = /^\d+$/;

/** Returns the count of an attribute; null if it is missing. Throws if it is not a count or not a safe integer. */
export function countIn(attributes: XmlAttributes, name: string, toError: CreateXmlError): number | null {
  const digits = attributes.get(name);
  if (digits === undefined) return null;
  const count = Number(digits);
  if (!COUNT.test(digits)) throw toError(`${name}: a count is expected`);
  if (!Number.isSafeInteger(count)) throw toError(`${name}: a count beyond 2^53`);
  return count;
}

/** Returns the count of an attribute. Throws if it is missing or not a count. */
export function requiredCountIn(attributes: XmlAttributes, name: string, toError: CreateXmlError): number {
  const count = countIn(attributes, name, toError);
  if (count === null) throw toError(`${name} is missing`);
  return count;
}
