import { load, type LoadSettings, type Measurement, type Question } from './load.js';

/** One round of a load generator: whom to ask, for how long, and about what. */
export interface RoundOrder<Subject> extends LoadSettings {
  readonly subject: Subject;
}

export type RoundResult = { readonly measured: Measurement } | { readonly failed: string };

/** Makes this process a load generator: it asks one round with each order that it is sent, and answers with what it measured. */
export function followOrders(questionsOf: (subject: never) => () => Question): void {
  // Once for each subject: to make them takes longer than some rounds do.
  const questions = new Map<string, () => Question>();
  process.on('message', ({ subject, ...settings }: RoundOrder<never>) => {
    const name = JSON.stringify(subject);
    const next = questions.get(name) ?? questionsOf(subject);
    questions.set(name, next);
    load(next, settings).then(
      (measured) => process.send?.({ measured } satisfies RoundResult),
      (error: unknown) => process.send?.({ failed: String(error) } satisfies RoundResult),
    );
  });
}
