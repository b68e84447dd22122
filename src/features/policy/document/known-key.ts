/** What somebody may have meant by a key that the schema does not know. */
import { distance } from 'fastest-levenshtein';
import type { PolicySchema } from '../schema/policy-schema.js';
import { SDLC_V1_SCHEMA } from '../schema/sdlc.v1.schema.js';

const LONGEST_GUESS = 64;

/** Each key of the schema with the sections that hold it. */
const SECTIONS: ReadonlyMap<string, readonly string[]> = sectionsByKey();

/** One sentence: the key that was meant, the section that it belongs to, or the keys that there are. */
export function hintFor(key: string, siblings: readonly string[]): string {
  const normal = inSnakeCase(key);
  if (siblings.includes(normal)) return `Did you mean ${normal}?`;
  const sections = SECTIONS.get(normal);
  if (sections !== undefined) return `It belongs under ${sections.join(' or ')}.`;
  const guess = closestTo(normal, siblings);
  return guess === null ? `Known here: ${siblings.join(', ')}.` : `Did you mean ${guess}?`;
}

/** The word within a third of the text's length of edits, or null. */
export function closestTo(text: string, words: readonly string[]): string | null {
  if (text.length > LONGEST_GUESS) return null;
  const [best] = words
    .map((word) => ({ word, edits: distance(text, word) }))
    .sort((left, right) => left.edits - right.edits);
  return best !== undefined && best.edits <= Math.max(1, Math.floor(text.length / 3)) ? best.word : null;
}

const inSnakeCase = (key: string): string =>
  key
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll(/[\s-]/g, '_')
    .toLowerCase();

function sectionsByKey(): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  const walk = ({ properties, items }: PolicySchema, path: string): void => {
    for (const [key, schema] of Object.entries(properties ?? {})) {
      sections.set(key, [...(sections.get(key) ?? []), path === '' ? 'the top level' : path]);
      walk(schema, path === '' ? key : `${path}.${key}`);
    }
    if (items !== undefined) walk(items, path);
  };
  walk(SDLC_V1_SCHEMA, '');
  return sections;
}
