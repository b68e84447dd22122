/** A process of its own that asks, one round with each order that it is sent, and answers with what it measured. */
import { load, type Measurement } from './load.js';
import type { Population } from './population.js';
import { questionsOf, type Question } from './question.js';

export interface RoundOrder {
  readonly port: number;
  readonly population: Population;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export type RoundResult = { readonly measured: Measurement } | { readonly failed: string };

const questions = new Map<string, () => Question>();

function questionsFor(population: Population): () => Question {
  const name = JSON.stringify(population);
  const known = questions.get(name) ?? questionsOf(population);
  questions.set(name, known);
  return known;
}

process.on('message', ({ population, ...settings }: RoundOrder) => {
  load(questionsFor(population), settings).then(
    (measured) => process.send?.({ measured } satisfies RoundResult),
    (error: unknown) => process.send?.({ failed: String(error) } satisfies RoundResult),
  );
});
