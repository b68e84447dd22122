import { load, type LoadSettings, type Measurement, type RequestSample } from './load.js';

/** One round of a load generator: the server, the duration and the subject of the requests. */
export interface RoundOrder<Subject> extends LoadSettings {
  readonly subject: Subject;
}

export type RoundResult = { readonly measured: Measurement } | { readonly failed: string };

type SampleSource = () => RequestSample;

/** Makes this process a load generator. It runs one round per message and reports the measurement. */
export function serveRounds(createSamples: (subject: never) => SampleSource | Promise<SampleSource>): void {
  // Cached by subject, because creating the requests takes longer than some rounds.
  const samples = new Map<string, SampleSource | Promise<SampleSource>>();
  process.on('message', ({ subject, ...settings }: RoundOrder<never>) => {
    const name = JSON.stringify(subject);
    const next = samples.get(name) ?? createSamples(subject);
    samples.set(name, next);
    Promise.resolve(next)
      .then((source) => load(source, settings))
      .then(
        (measured) => process.send?.({ measured } satisfies RoundResult),
        (error: unknown) => process.send?.({ failed: String(error) } satisfies RoundResult),
      );
  });
}
