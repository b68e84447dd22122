/** What no schema can say of `sdlc.yaml`: values that are right each by itself and wrong together. */
import { EVIDENCE_KINDS, TEST_KINDS } from '../../../domain/evidence/evidence.js';
import { isCalendarDay } from '../../../domain/policy/calendar-day.js';
import type { PolicyProblem } from '../../../domain/policy/policy.js';
import { readableKey } from './document-path.js';
import type { YamlDocument } from './yaml-document.js';

const TESTS: ReadonlySet<unknown> = new Set(TEST_KINDS);
const KINDS: ReadonlySet<unknown> = new Set(EVIDENCE_KINDS);

/** The problems of a document that may also violate the schema: what has a wrong type is passed over here. */
export const meaningProblems = (document: YamlDocument): readonly PolicyProblem[] => [
  ...entriesOf(document.value, ['freezes']).flatMap(({ from, to }, index) =>
    isDay(from) && isDay(to) && to < from
      ? [problem(document, `/freezes/${index}/to`, `The freeze ends before it begins, on ${from}.`)]
      : [],
  ),
  ...entriesOf(document.value, ['stages', 'evidencing', 'required_evidence']).flatMap(({ kind, min_tests }, index) =>
    min_tests !== undefined && KINDS.has(kind) && !TESTS.has(kind)
      ? [
          problem(
            document,
            `/stages/evidencing/required_evidence/${index}/min_tests`,
            `Only ${TEST_KINDS.join(', ')} count tests.`,
          ),
        ]
      : [],
  ),
];

function problem(document: YamlDocument, pointer: string, message: string): PolicyProblem {
  return { ...document.placeOf(pointer), key: readableKey(pointer), message };
}

/** The mappings of the list at the path; anything else in it counts as an empty mapping, so that indexes stay true. */
function entriesOf(value: unknown, path: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  const list = path.reduce<unknown>((outer, step) => (isMapping(outer) ? outer[step] : undefined), value);
  return Array.isArray(list) ? list.map((entry: unknown) => (isMapping(entry) ? entry : {})) : [];
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDay = (value: unknown): value is string => typeof value === 'string' && isCalendarDay(value);
