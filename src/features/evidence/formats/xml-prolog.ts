/** What markup says of itself before its content. */
export interface XmlProlog {
  /** Name of the root element without its prefix, as written. */
  readonly root: string;
  /** Name in `<!DOCTYPE name …>`; null where there is none. */
  readonly doctype: string | null;
  /** Names of the first attributes of the root, with their prefixes: roots of several formats are called the same. */
  readonly attributes: ReadonlySet<string>;
  /** Whether the root tag ends behind those attributes: then it is the same whatever follows. */
  readonly isWhole: boolean;
}

const ROOT = /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/y;
const DOCTYPE = /<!doctype\s+([A-Za-z_][\w.:-]*)/iy;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"[^"]*"|'[^']*')/y;
const MOST_ATTRIBUTES = 50;
const END = /\s*\/?>/y;
const SPACE = /\s*/y;

/** Reads up to the root tag, in linear time, without judging well-formedness; null where no root tag follows. */
export function xmlPrologOf(text: string): XmlProlog | null {
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
  while (attributes.size < MOST_ATTRIBUTES) {
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

/** Past the `>` that ends the declaration: not one within quotes or within an internal subset. */
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
