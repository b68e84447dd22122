import { createRequire } from 'node:module';
import { type Variation, variationsOf } from './payload-variations.js';

type Payload = Readonly<Record<string, unknown>>;

interface EventExamples {
  readonly name: string;
  readonly examples: readonly Payload[];
}

/**
 * The installation and the repository that a payload names in place of the example's own. Several repositories share an
 * installation.
 */
export interface Whom {
  readonly installation: { readonly id: number };
  readonly repository: { readonly id: number };
}

export interface ExampleVariation extends Variation {
  readonly event: string;
}

const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly EventExamples[];

/** The number of payloads in GitHub's examples. */
export const EXAMPLE_COUNT = EXAMPLES.reduce((sum, { examples }) => sum + examples.length, 0);

/** Yields every example of every event in all of its variations, for these installations and repositories in turn. */
export function* exampleVariations(first: Whom, ...others: readonly Whom[]): Generator<ExampleVariation> {
  const all = [first, ...others];
  let turn = 0;
  for (const { name: event, examples } of EXAMPLES) {
    for (const [index, example] of examples.entries()) {
      for (const { name, payload } of variationsOf(withTarget(first, example))) {
        // The payload keeps lacking the keys that the variation removed.
        const whom = all[(turn += 1) % all.length] ?? first;
        yield { event, name: `${event} ${index} ${name}`, payload: whom === first ? payload : moved(payload, whom) };
      }
    }
  }
}

const withTarget = ({ installation, repository }: Whom, example: Payload): Payload => ({
  ...example,
  installation,
  ...('repository' in example && { repository: { ...(example['repository'] as object), ...repository } }),
});

function moved(payload: Payload, { repository }: Whom): Payload {
  const received = payload['repository'] as Partial<Whom['repository']> | null | undefined;
  return typeof received?.id === 'number' ? { ...payload, repository: { ...received, ...repository } } : payload;
}
