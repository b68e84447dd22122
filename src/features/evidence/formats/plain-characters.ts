import type { XmlRefusal } from './xml-visitor.js';

/**
 * What XML 1.0 does not allow (§ 2.2), the carriage return, which stands for another character, and what it discourages.
 * Text has no halves of pairs.
 */
const UNPLAIN = /[^\P{Cc}\t\n]|[\ufffe\uffff]/u;
const PERHAPS_OTHER_CHARACTERS = /[^\P{Cc}\t\n]|[&\ufffe\uffff]/u;
const PERHAPS_OTHER_VALUE = /[\p{Cc}&<\ufffe\uffff]/u;
const TAB_OR_LINE_END = /[\t\n]/g;

/** What may stand between `&` and `;` (§§ 4.1, 4.6), but for numbers of more digits than any character needs. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const NUMBER = /^#(?:(\d{1,7})|x([\da-fA-F]{1,6}))$/;
const LONGEST_REFERENCE = 8;

/** Text between tags, as it is meant. */
export function plainCharacters(text: string, refusal: XmlRefusal): string {
  return PERHAPS_OTHER_CHARACTERS.test(text) ? resolved(plain(text, refusal), refusal) : text;
}

/** The value of an attribute, as it is meant (§ 3.3.3). */
export function plainValue(text: string, refusal: XmlRefusal): string {
  if (!PERHAPS_OTHER_VALUE.test(text)) return text;
  if (text.includes('<')) throw refusal('a tag within a value');
  return resolved(plain(text, refusal).replace(TAB_OR_LINE_END, ' '), refusal);
}

/** Text in which nothing stands for anything else. */
export function plain(text: string, refusal: XmlRefusal): string {
  if (UNPLAIN.test(text)) throw refusal('a character');
  return text;
}

function resolved(text: string, refusal: XmlRefusal): string {
  let meant = '';
  let from = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end === -1 || end - at > LONGEST_REFERENCE + 1) throw refusal('a reference');
    const reference = text.slice(at + 1, end);
    meant += text.slice(from, at) + (ENTITIES.get(reference) ?? numbered(reference, refusal));
    from = end + 1;
  }
  return meant + text.slice(from);
}

function numbered(reference: string, refusal: XmlRefusal): string {
  const [, decimal, hexadecimal = ''] = NUMBER.exec(reference) ?? [];
  const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
  if (!isCharacter(code)) throw refusal('a reference');
  return String.fromCodePoint(code);
}

/** False for what is no number, too. */
const isCharacter = (code: number): boolean =>
  code === 0x09 ||
  code === 0x0a ||
  code === 0x0d ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x1_0000 && code <= 0x10_ffff);
