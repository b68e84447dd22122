type Json = Readonly<Record<string, unknown>>;

/** A payload, and the name of its difference from the one that GitHub sends. */
export interface Variation {
  readonly name: string;
  readonly payload: Json;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const without = (payload: Json, key: string): Json =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => name !== key));

/** Yields the payload itself, then without each key of its top two levels in turn, and with each of them null. */
export function* variationsOf(payload: Json): Generator<Variation> {
  yield { name: 'as it is', payload };
  for (const [key, value] of Object.entries(payload)) {
    yield { name: `without ${key}`, payload: without(payload, key) };
    yield { name: `${key}: null`, payload: { ...payload, [key]: null } };
    if (!isObject(value)) continue;
    for (const inner of Object.keys(value)) {
      yield { name: `without ${key}.${inner}`, payload: { ...payload, [key]: without(value, inner) } };
      yield { name: `${key}.${inner}: null`, payload: { ...payload, [key]: { ...value, [inner]: null } } };
    }
  }
}
