import { createRequire } from 'node:module';
import { type Variation, variationsOf } from './payload-variations.js';

interface EventExamples {
  readonly name: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

/** Whom a payload names in place of the example's own. */
export interface Whom {
  readonly installation: { readonly id: number };
  readonly repository: { readonly id: number };
}

export interface ExampleVariation extends Variation {
  readonly event: string;
}

const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly EventExamples[];

/** How many payloads GitHub's own examples are. */
export const EXAMPLE_COUNT = EXAMPLES.reduce((sum, { examples }) => sum + examples.length, 0);

/** Every example of every event, each in all of its variations, as it would be told about these. */
export function* exampleVariations({ installation, repository }: Whom): Generator<ExampleVariation> {
  for (const { name: event, examples } of EXAMPLES) {
    for (const [index, example] of examples.entries()) {
      const told = {
        ...example,
        installation,
        ...('repository' in example && { repository: { ...(example['repository'] as object), ...repository } }),
      };
      for (const { name, payload } of variationsOf(told)) {
        yield { event, name: `${event} ${index} ${name}`, payload };
      }
    }
  }
}
