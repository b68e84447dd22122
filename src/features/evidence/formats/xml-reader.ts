import { type SaxesAttributePlain, SaxesParser } from 'saxes';
import type { ReportLimits } from './report-format.js';
import { ReportError, type ReportText } from './report-text.js';

export type XmlAttributes = ReadonlyMap<string, string>;

/** What a format does with an XML document; elements come without their namespace prefix, attributes with it. */
export interface XmlVisitor {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Character data, CDATA sections included, in pieces. */
  text(chunk: string): void;
}

/** Lets a visitor refuse what it meets, at the place where the reader stands. */
export type CreateXmlError = (reason: string) => ReportError;

/** Characters handed to the parser at once: it joins what a token spans, so that memory follows the longest token. */
const CHUNK = 65_536;

/** Encodings whose bytes mean the same in UTF-8, or whose byte order mark has already been obeyed. */
const READABLE_ENCODINGS = /^(?:utf-?8|us-ascii|ascii|utf-?16(?:le|be)?)$/i;
const NON_ASCII = /[^\0-\x7f]/;
const QUOTED = /"[^"]*"|'[^']*'/g;

/**
 * Has room for all handlers: the eighth turns an instance of the class itself into a dictionary (V8), in which every
 * access of the parser to its own state is a look-up, and reading takes six times as long.
 */
class PreallocatedSaxParser extends SaxesParser {}

/**
 * Streams a document through a strict parser. An external DTD is never fetched; an internal subset is refused, so no
 * entity but the five of XML itself exists, and none expands into another. Answers the visitor that has seen all of it.
 * @throws ReportError at the first violation of well-formedness or of a limit.
 */
export function readXml<V extends XmlVisitor>(
  report: ReportText,
  limits: ReportLimits,
  visitorOf: (toError: CreateXmlError) => V,
): V {
  const parser = new PreallocatedSaxParser();
  const toError: CreateXmlError = (reason) => new ReportError(report.file, parser.line, parser.columnIndex + 1, reason);
  const visitor = visitorOf(toError);
  let depth = 0;
  let attributes = new Map<string, string>();

  parser.on('error', (error) => {
    throw toError(`not well-formed XML: ${reasonOf(error)}`);
  });
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !READABLE_ENCODINGS.test(encoding) && NON_ASCII.test(report.text)) {
      throw toError(`declares the encoding ${encoding}, but only UTF-8 and UTF-16 are read`);
    }
  });
  parser.on('doctype', (declaration) => {
    if (declaration.replace(QUOTED, '').includes('[')) {
      throw toError('an internal DTD subset is refused: no entity may be declared');
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

  for (const stretch of report.stretches()) {
    for (let at = 0; at < stretch.length; at += CHUNK) parser.write(stretch.slice(at, at + CHUNK));
  }
  parser.close();
  return visitor;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The parser's own message, without the position that the refusal carries itself. */
function reasonOf(error: Error): string {
  return error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
}

const COUNT = /^\d+$/;

/** The whole number of an attribute; null where it is absent. Refuses what is no count, or cannot be held exactly. */
export function countIn(attributes: XmlAttributes, name: string, toError: CreateXmlError): number | null {
  const digits = attributes.get(name);
  if (digits === undefined) return null;
  const count = Number(digits);
  if (!COUNT.test(digits)) throw toError(`${name}: a count is expected`);
  if (!Number.isSafeInteger(count)) throw toError(`${name}: a count beyond 2^53`);
  return count;
}

/** @throws also where the attribute is absent. */
export function requiredCountIn(attributes: XmlAttributes, name: string, toError: CreateXmlError): number {
  const count = countIn(attributes, name, toError);
  if (count === null) throw toError(`${name} is missing`);
  return count;
}
