import { GitHubError } from './github-error.js';

/**
 * Reads a value of GitHub's JSON. Throws `malformed` with the path if the value is not as documented, because a field that
 * is silently undefined could open a gate.
 */
export class JsonReader {
  constructor(
    private readonly value: unknown,
    private readonly path: string,
  ) {}

  object(key: string): JsonReader {
    const field = this.field(key);
    field.fields();
    return field;
  }

  /** Returns null for null and for a missing field, because GitHub uses both. */
  objectOrNull(key: string): JsonReader | null {
    return this.has(key) ? this.object(key) : null;
  }

  list(key: string): readonly JsonReader[] {
    return this.field(key).items();
  }

  /** Returns an empty list if the field is null or missing. */
  listOrEmpty(key: string): readonly JsonReader[] {
    return this.has(key) ? this.list(key) : [];
  }

  items(): readonly JsonReader[] {
    if (!Array.isArray(this.value)) this.fail('a list');
    return (this.value as unknown[]).map((item, index) => new JsonReader(item, `${this.path}[${index}]`));
  }

  isList(): boolean {
    return Array.isArray(this.value);
  }

  text(key: string): string {
    const { value } = this.field(key);
    return typeof value === 'string' ? value : this.field(key).fail('a text');
  }

  textOrNull(key: string): string | null {
    return this.has(key) ? this.text(key) : null;
  }

  integer(key: string): number {
    const { value } = this.field(key);
    return Number.isSafeInteger(value) ? (value as number) : this.field(key).fail('an integer');
  }

  integerOrNull(key: string): number | null {
    return this.has(key) ? this.integer(key) : null;
  }

  flag(key: string): boolean {
    const { value } = this.field(key);
    return typeof value === 'boolean' ? value : this.field(key).fail('true or false');
  }

  readChoice<const T extends string>(key: string, values: readonly T[]): T {
    const { value } = this.field(key);
    return values.find((known) => known === value) ?? this.field(key).fail(`one of ${values.join(', ')}`);
  }

  /** Returns an object with only text values. */
  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.keys(this.fields()).map((key) => [key, this.text(key)]));
  }

  /** Returns an object without checking its fields; empty if the field is null or missing. */
  fieldsOrEmpty(key: string): Readonly<Record<string, unknown>> {
    return this.has(key) ? this.field(key).fields() : {};
  }

  /** Returns a list of texts; empty if the field is null or missing. */
  textsOrEmpty(key: string): readonly string[] {
    if (!this.has(key)) return [];
    return this.list(key).map((item) => (typeof item.value === 'string' ? item.value : item.fail('a text')));
  }

  has(key: string): boolean {
    const { value } = this.field(key);
    return value !== undefined && value !== null;
  }

  private field(key: string): JsonReader {
    const fields = this.fields();
    return new JsonReader(Object.hasOwn(fields, key) ? fields[key] : undefined, `${this.path}.${key}`);
  }

  private fields(): Readonly<Record<string, unknown>> {
    if (this.value === null || typeof this.value !== 'object' || Array.isArray(this.value)) this.fail('an object');
    return this.value as Readonly<Record<string, unknown>>;
  }

  private fail(expected: string): never {
    throw new GitHubError('malformed', `${this.path} is not ${expected}`);
  }
}
