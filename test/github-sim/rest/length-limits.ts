import { ApiError } from './api-error.js';

/** The maximum lengths of texts. GitHub rejects longer ones with 422. */
const CHARACTERS = { title: 256, body: 65_536 } as const;
/** The limit of a check run's output: https://docs.github.com/rest/checks/runs, "Maximum length: 65535 characters". */
const OUTPUT_BYTES = 65_535;
const OUTPUT_TEXTS = ['summary', 'text'] as const;

/** Rejects a title or a body of an issue or a pull request that is longer than GitHub allows. */
export function refuseLong(resource: 'Issue' | 'PullRequest', fields: Readonly<Record<string, unknown>>): void {
  for (const [field, limit] of Object.entries(CHARACTERS)) {
    const text = fields[field];
    if (typeof text !== 'string' || Array.from(text).length <= limit) continue;
    const message = `${field} is too long (maximum is ${limit} characters)`;
    throw new ApiError(422, 'Validation Failed', [{ resource, field, code: 'custom', message }]);
  }
}

/** Rejects a check run whose output is longer than GitHub allows. */
export function refuseLongOutput(output: object): void {
  const texts = output as Readonly<Record<string, unknown>>;
  for (const field of OUTPUT_TEXTS) {
    const text = texts[field];
    const bytes = typeof text === 'string' ? Buffer.byteLength(text) : 0;
    if (bytes <= OUTPUT_BYTES) continue;
    throw new ApiError(422, `Invalid request.\n\nOnly ${OUTPUT_BYTES} characters are allowed; ${bytes} were supplied.`);
  }
}
