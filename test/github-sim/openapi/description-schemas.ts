import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import ajvFormats from 'ajv-formats';
import { COMPONENTS_ID, toJsonSchema, type JsonSchema, type Variant } from './json-schema-dialect.js';
import type { OpenApiDescription, OpenApiSchema } from './openapi-description.js';
import { problemsOf } from './schema-problems.js';

/** The schemas of GitHub's description. Each is compiled at its first use. */
export class DescriptionSchemas {
  private readonly ajv = new Ajv2019({
    strict: false,
    allErrors: true,
    validateSchema: false,
    code: { optimize: false },
  });
  private readonly compiled: Readonly<Record<Variant, Map<OpenApiSchema, ValidateFunction>>> = {
    open: new Map(),
    closed: new Map(),
  };

  constructor({ components }: OpenApiDescription) {
    ajvFormats.default(this.ajv);
    // Formats of GitHub, such as `owner/name`. The type of the value is enough.
    for (const format of ['repo.nwo', 'timestamp']) this.ajv.addFormat(format, true);
    const translated = (variant: Variant): JsonSchema =>
      Object.fromEntries(
        Object.entries(components.schemas).map(([name, schema]) => [name, toJsonSchema(schema, variant)]),
      );
    this.ajv.addSchema({ open: translated('open'), closed: translated('closed') }, COMPONENTS_ID);
  }

  /** Returns the differences between the value and the schema; empty if there is none. */
  problems(schema: OpenApiSchema, variant: Variant, value: unknown): string[] {
    const validate = this.compiled[variant].get(schema) ?? this.ajv.compile(toJsonSchema(schema, variant));
    this.compiled[variant].set(schema, validate);
    return validate(value) ? [] : problemsOf(validate);
  }
}
