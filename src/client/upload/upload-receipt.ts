import { EXIT, type ExitCode } from '../command-result.js';
import { plainText } from '../plain-text.js';

/** The only effect with which the verdict of the release rests on the upload. */
export const DECIDES = 'decides';

/** What the service answered about an upload that it stored. Older services do not tell the effect. */
export interface UploadReceipt {
  readonly message: string | null;
  readonly effect: string | null;
  readonly commitSha: string | null;
  readonly commitSource: string | null;
  readonly candidateSha: string | null;
  readonly releaseUrl: string | null;
  readonly items: readonly unknown[];
}

/** Reads an answer. A member that is absent or no text is null. */
export function readReceipt(json: unknown): UploadReceipt {
  const answer = (json ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | null => (typeof answer[name] === 'string' ? answer[name] : null);
  const effect = text('effect');
  return {
    // The sentence of older services tells nothing that the line about the stored files does not.
    message: effect === null ? null : text('message'),
    effect,
    commitSha: text('commitSha'),
    commitSource: text('commitSource'),
    candidateSha: text('candidateSha'),
    releaseUrl: text('releaseUrl'),
    items: Array.isArray(answer['pieces']) ? answer['pieces'] : [],
  };
}

/** Returns why the upload should be looked at; null if it decides, and if the service is too old to tell. */
export function describeWarning({ effect }: UploadReceipt, isRequired: boolean): string | null {
  if (effect === DECIDES) return null;
  if (effect !== null)
    return `Warning: the verdict of the release does not rest on this upload (${plainText(effect)}).`;
  return isRequired ? 'Warning: this Shipgate is older and does not tell whether the upload decides.' : null;
}

/** Returns the exit code of a stored upload. An effect that is required and not told is unknown. */
export function toExitCode({ effect }: UploadReceipt, isRequired: boolean): ExitCode {
  if (!isRequired || effect === DECIDES) return EXIT.yes;
  return effect === null ? EXIT.unknown : EXIT.no;
}

/** Returns the lines about the found evidence, the effect and the page of the release. */
export const describeReceipt = (receipt: UploadReceipt): readonly string[] => [
  ...receipt.items.flatMap(describeItem),
  ...[receipt.message, receipt.releaseUrl].flatMap((line) => (line === null ? [] : [plainText(line)])),
];

function describeItem(item: unknown): readonly string[] {
  const { kind, environment, metrics } = (item ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string') return [];
  const where = typeof environment === 'string' ? ` (${environment})` : '';
  return [
    `  ${plainText(`${kind}${where}: ${describeMetrics((metrics ?? {}) as Readonly<Record<string, unknown>>)}`)}`,
  ];
}

/** Returns the numbers of metrics with their names, in one line. */
export function describeMetrics(metrics: Readonly<Record<string, unknown>>): string {
  const numbers = Object.entries(metrics)
    .flatMap(([name, value]) => (typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]]))
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${String(value)} ${String(name)}`);
  return numbers.length === 0 ? 'stored' : numbers.join(', ');
}
