import type { OpenApiSchema } from './openapi-description.js';

export type JsonSchema = Record<string, unknown>;

/** The id of the components' schemas in the validator. */
export const COMPONENTS_ID = 'github-components';

/** `open` allows properties that the schema does not name, `closed` rejects them. */
export type Variant = 'open' | 'closed';

/** Keywords with the same meaning in JSON Schema and OpenAPI that contain no schemas. */
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
 * Translates a schema of OpenAPI 3.0 to JSON Schema 2019-09. `oneOf` becomes `anyOf`, because GitHub's alternatives
 * overlap, so a correct response often matches several of them.
 */
export function toJsonSchema(schema: OpenApiSchema, variant: Variant): JsonSchema {
  return translate(schema, variant, false);
}

/**
 * `inPart` means that the schema is one part of an object. The enclosing schema describes and closes the object as a
 * whole.
 */
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
    // In a part, `true` is omitted, because it would make every property count as described.
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
  // All other keywords of a simple schema allow null, but an enumeration lists its values.
  const { enum: values } = schema;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...(values as unknown[]), null] }),
  };
}
