import type { OpenApiSchema } from './openapi-description.js';

export type JsonSchema = Record<string, unknown>;

/** The key under which the validator knows the components' schemas. */
export const COMPONENTS_ID = 'github-components';

/** `open` takes properties that the schema does not name, `closed` refuses them. */
export type Variant = 'open' | 'closed';

/** Keywords that mean in JSON Schema what they mean in OpenAPI, and hold no schemas. */
const PLAIN: readonly string[] = [
  'type',
  'enum',
  'required',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];

const isSchema = (value: unknown): value is OpenApiSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasIn = (value: unknown): readonly OpenApiSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/**
 * Translates a schema of OpenAPI 3.0 to JSON Schema 2019-09.
 * `oneOf` becomes `anyOf`: GitHub's alternatives overlap, so that a right answer often matches several of them.
 */
export function toJsonSchema(schema: OpenApiSchema, variant: Variant): JsonSchema {
  return translate(schema, variant, false);
}

/** `inPart` says that the schema is one part of an object which an enclosing schema describes, and closes, as a whole. */
function translate(schema: OpenApiSchema, variant: Variant, inPart: boolean): JsonSchema {
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].slice('#/components/schemas/'.length);
    return { $ref: `${COMPONENTS_ID}#/${inPart ? 'open' : variant}/${name}` };
  }
  const translated: JsonSchema = Object.fromEntries(
    PLAIN.filter((key) => key in schema).map((key) => [key, schema[key]]),
  );
  const { properties, items, additionalProperties, not } = schema;

  if (isSchema(properties)) {
    translated['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, translate(inner as OpenApiSchema, variant, false)]),
    );
  }
  if (isSchema(items)) translated['items'] = translate(items, variant, false);
  if (isSchema(not)) translated['not'] = translate(not, 'open', false);
  if (isSchema(additionalProperties)) {
    translated['additionalProperties'] = translate(additionalProperties, variant, false);
  } else if (additionalProperties === false || (additionalProperties === true && !inPart)) {
    // A part's `true` is left out: it would count every property as described.
    translated['additionalProperties'] = additionalProperties;
  }

  const all = schemasIn(schema['allOf']);
  const alternatives = [...schemasIn(schema['anyOf']), ...schemasIn(schema['oneOf'])];
  const isComposed = isSchema(properties) || all.length > 0;
  if (all.length > 0) translated['allOf'] = all.map((part) => translate(part, variant, true));
  if (alternatives.length > 0) {
    translated['anyOf'] = alternatives.map((part) => translate(part, variant, inPart || isComposed));
  }
  if (variant === 'closed' && !inPart && isComposed && additionalProperties === undefined) {
    translated['unevaluatedProperties'] = false;
  }
  return schema['nullable'] === true ? orNull(translated) : translated;
}

function orNull(schema: JsonSchema): JsonSchema {
  const isSimple =
    typeof schema['type'] === 'string' && !('allOf' in schema) && !('anyOf' in schema) && !('not' in schema);
  if (!isSimple) return { anyOf: [{ type: 'null' }, schema] };
  // Every other keyword of a simple schema lets null pass; an enumeration names its values.
  const { enum: values } = schema;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...(values as unknown[]), null] }),
  };
}
