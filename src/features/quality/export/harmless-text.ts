/**
 * What a spreadsheet may take for the beginning of a formula: the four characters that OWASP names under "CSV Injection", their
 * full-width and small forms, and the minus sign of typographers.
 */
const LEADS = '=+\\-@＝＋－＠﹦﹢﹣﹫−';
/** What some programs skip before they look: white space, control characters, and whatever shows nothing. */
const UNSEEN = '\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}';

const BEGINS_A_FORMULA = new RegExp(`^[${UNSEEN}]*[\\t\\r\\n${LEADS}]`, 'u');
/**
 * Who reads a file with another separator sees cells begin in the middle of a text. A quotation mark there is doubled, which is
 * an empty text in quotes to them, and what follows it is taken as it stands.
 */
const BEGINS_A_FORMULA_ELSEWHERE = new RegExp(`[;|\\t\\r\\n](?=["${UNSEEN}]*[${LEADS}])`, 'gu');
const SEPARATES_ELSEWHERE = /[;|\t\r\n]/;

/** The text, behind an apostrophe where a spreadsheet might compute it: with that it is a text to every one of them. */
export const harmlessText = (text: string): string => (BEGINS_A_FORMULA.test(text) ? `'${text}` : text);

/** The same for a file that is cut into cells only when it is opened, by whatever separator the reader's country has. */
export const harmlessField = (text: string): string => {
  const harmless = harmlessText(text);
  return SEPARATES_ELSEWHERE.test(harmless) ? harmless.replace(BEGINS_A_FORMULA_ELSEWHERE, "$&'") : harmless;
};
