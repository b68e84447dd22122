/** Composes the tokens of a YAML text into a document, and collects a limited number of problems. */
import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  type ParseOptions,
  Parser,
  type SchemaOptions,
} from 'yaml';

/** One error in the YAML causes others, so only the first ones are useful. */
const MAX_PROBLEMS = 10;
/** More than a file can need. Each must be read, and the library keeps the text of each. */
const MAX_DIRECTIVES = 10;

const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  stringKeys: true,
  uniqueKeys: false, // the reader of the document reports duplicates with the line of the first key
  resolveKnownTags: false,
  version: '1.2',
};

/** A problem with the code and the message of the library. */
export interface SyntaxProblem {
  readonly code: string;
  readonly message: string;
  /** From 0 on. */
  readonly offset: number;
}

/** The document; null if its text has problems. */
export interface Composition {
  readonly document: Document.Parsed | null;
  /** Not more than a user can use. The rest of the text is not read then. */
  readonly problems: readonly SyntaxProblem[];
}

/**
 * Composes the first document. A second one is a problem. The library would create an error with its stack for each problem, of
 * which a text can have tens of thousands. So its errors are intercepted, and no token is composed after the last useful one.
 * `onNewLine` receives the offset of each line.
 */
export function composeYaml(text: string, onNewLine: (offset: number) => void): Composition {
  const problems: SyntaxProblem[] = [];
  const add = (offset: number, code: string, message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ offset, code, message });
  };
  const composer = new Composer(OPTIONS);
  composer['onError'] = (source: Source, code: string, message: string, warning?: boolean): void => {
    if (warning !== true || code === 'BAD_DIRECTIVE') add(toOffset(source), code, message);
  };
  let [documents, directives] = [0, 0];
  for (const token of new Parser(onNewLine).parse(text)) {
    if (token.type === 'directive') directives += 1;
    if (token.type === 'document') documents += 1;
    if (directives > MAX_DIRECTIVES) add(token.offset, 'MANY_DIRECTIVES', 'The file has too many directives');
    else if (documents > 1) add(token.offset, 'MULTIPLE_DOCS', 'The text has a second document');
    else if (token.type === 'error') add(token.offset, 'UNEXPECTED_TOKEN', describeError(token));
    else if (token.type === 'doc-end' && documents === 0) add(token.offset, 'UNEXPECTED_TOKEN', 'A document ends here');
    else {
      // The document comes at the end of the text.
      Array.from(composer.next(token));
      if (problems.length < MAX_PROBLEMS) continue;
    }
    if (directives > MAX_DIRECTIVES || documents > 1 || problems.length >= MAX_PROBLEMS) break;
  }
  if (problems.length > 0) return { document: null, problems };
  const [document] = composer.end(true, text.length);
  return { document: problems.length === 0 ? (document ?? null) : null, problems };
}

/** The forms in which the library states a position. */
type Source = number | readonly number[] | { readonly offset: number };

const toOffset = (source: Source): number => {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : (source[0] ?? 0);
};

const describeError = ({ message, source }: CST.ErrorToken): string =>
  source === '' ? message : `${message}: ${JSON.stringify(source)}`;
