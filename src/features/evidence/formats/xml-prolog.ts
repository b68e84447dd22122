/** The start of a markup document, up to its root tag. */
export interface XmlProlog {
  /** The name of the root element without its prefix. */
  readonly root: string;
  /** The name in `<!DOCTYPE name …>`; null if there is none. */
  readonly doctype: string | null;
  /** The names of the first attributes of the root, with prefixes. The roots of several formats have the same name. */
  readonly attributes: ReadonlySet<string>;
  /** Whether these are all attributes, so that later content cannot change them. */
  readonly isWhole: boolean;
}

const ROOT = /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/y;
const DOCTYPE = /<!doctype\s+([A-Za-z_][\w.:-]*)/iy;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"[^"]*"|'[^']*')/y;
const MAX_ATTRIBUTES = 50;
const END = /\s*\/?>/y;
const SPACE = /\s*/y;

/** Enough for every XML declaration. */
const DECLARATION_LENGTH = 1_000;
const DECLARED_ENCODING = /^\s*<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/;

/** Returns the encoding that an XML declaration names; null if there is none. */
export const findDeclaredEncoding = (text: string): string | null =>
  DECLARED_ENCODING.exec(text.slice(0, DECLARATION_LENGTH))?.[1] ?? null;

/** Returns why a report in this encoding is rejected, and what to do. */
export const explainEncoding = (encoding: string): string =>
  `declares the encoding ${encoding}, but only UTF-8 and UTF-16 with a byte order mark can be read. ` +
  'Let the tool write UTF-8, or convert the file and declare encoding="UTF-8"';

/** Parses up to the root tag in linear time, without checking well-formedness; null if there is no root tag. */
export function parseXmlProlog(text: string): XmlProlog | null {
  let doctype: string | null = null;
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
    if (text.startsWith('<?', at)) at = after(text, '?>', at);
    else if (text.startsWith('<!--', at)) at = after(text, '-->', at);
    else {
      DOCTYPE.lastIndex = at;
      const declared = DOCTYPE.exec(text)?.[1];
      if (declared === undefined) break;
      doctype = declared;
      at = endOfDoctype(text, at);
    }
    if (at === -1) return null;
  }
  ROOT.lastIndex = at;
  const root = ROOT.exec(text)?.[1];
  return root === undefined ? null : { root, doctype, ...attributesFrom(text, ROOT.lastIndex) };
}

function attributesFrom(text: string, from: number): Pick<XmlProlog, 'attributes' | 'isWhole'> {
  const attributes = new Set<string>();
  let at = from;
  while (attributes.size < MAX_ATTRIBUTES) {
    ATTRIBUTE.lastIndex = at;
    const name = ATTRIBUTE.exec(text)?.[1];
    if (name === undefined) break;
    attributes.add(name);
    at = ATTRIBUTE.lastIndex;
  }
  END.lastIndex = at;
  return { attributes, isWhole: END.test(text) };
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? -1 : at + end.length;
}

/** Returns the position after the `>` of the declaration, ignoring quotes and the internal subset. */
function endOfDoctype(text: string, from: number): number {
  let quote = '';
  let inSubset = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '[') inSubset = true;
    else if (char === ']') inSubset = false;
    else if (char === '>' && !inSubset) return at + 1;
  }
  return -1;
}
