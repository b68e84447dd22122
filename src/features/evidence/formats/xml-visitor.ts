import type { ReportError } from './report-error.js';

export type XmlAttributes = ReadonlyMap<string, string>;

/** What a format does with an XML document; elements come without their namespace prefix, attributes with it. */
export interface XmlVisitor {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  /** Character data, CDATA sections included, in pieces. */
  text(piece: string): void;
}

/** Lets a visitor refuse what it meets, at the place where the reader stands. */
export type XmlRefusal = (reason: string) => ReportError;

/** Encodings whose bytes mean the same in UTF-8, or whose byte order mark has already been obeyed. */
export const READABLE_ENCODING = /^(?:utf-?8|us-ascii|ascii|utf-?16(?:le|be)?)$/i;

/** The name of an element without its prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
