import type { LineCounter, YAMLError } from 'yaml';
import type { PolicyProblem } from '../../../domain/policy/policy.js';
import { excerpt } from './excerpt.js';

/** What the parser's codes mean to whoever wrote the file; those left out keep the parser's own words. */
const SENTENCES: { readonly [C in YAMLError['code']]?: string } = {
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

/** A mistake in the YAML itself, where it stands. */
export function yamlSyntaxProblem(error: YAMLError, lines: LineCounter): PolicyProblem {
  const { line, col } = lines.linePos(Math.max(0, error.pos[0]));
  return { line, column: col, key: '', message: SENTENCES[error.code] ?? `${excerpt(error.message)}.` };
}
