import type {
  ComponentsObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ReferenceObject,
  SchemaObject,
} from '@nestjs/swagger';

type Schemas = NonNullable<ComponentsObject['schemas']>;

const EXAMPLE_OF_FORMAT: Readonly<Record<string, string>> = {
  uuid: '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b',
  uri: 'https://github.com/acme/payments/pull/42',
  'date-time': '2026-05-04T10:00:00.000Z',
  date: '2026-05-04',
};

const EXAMPLE_OF_TYPE: Readonly<Record<string, (schema: SchemaObject, schemas: Schemas) => unknown>> = {
  object: ({ properties = {} }, schemas) =>
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, buildExample(part, schemas)])),
  array: ({ items }, schemas) => (items ? [buildExample(items, schemas)] : []),
  boolean: () => true,
  integer: ({ minimum = 1 }) => minimum,
  number: ({ minimum = 1 }) => minimum,
  string: ({ format = '' }) => EXAMPLE_OF_FORMAT[format] ?? 'text',
};

/** Resolves a reference to its schema. */
function resolve(schema: SchemaObject | ReferenceObject, schemas: Schemas): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = schemas[name];
  if (!found) throw new TypeError(`The document refers to ${schema.$ref}, which it does not have.`);
  return resolve(found, schemas);
}

/** Builds a valid value of the schema from the examples of its members. */
function buildExample(given: SchemaObject | ReferenceObject, schemas: Schemas): unknown {
  const schema = resolve(given, schemas);
  const stated: unknown = schema.example ?? (Array.isArray(schema.examples) ? schema.examples[0] : undefined);
  if (stated !== undefined) return stated;
  if (schema.enum) return schema.enum[0] as unknown;
  if (schema.default !== undefined) return schema.default as unknown;
  const [whole] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  if (whole) return buildExample(whole, schemas);
  const [type = ''] = [schema.type].flat();
  return EXAMPLE_OF_TYPE[type]?.(schema, schemas) ?? null;
}

/** Adds an example to every body without one. */
export function addExamples({ paths, components }: OpenAPIObject): void {
  const schemas = components?.schemas ?? {};
  const complete = (media: MediaTypeObject): void => {
    if (media.schema && media.example === undefined) media.example = buildExample(media.schema, schemas);
  };
  for (const item of Object.values(paths)) {
    for (const { requestBody, responses } of Object.values(item) as OperationObject[]) {
      for (const bearer of [requestBody, ...Object.values(responses)]) {
        if (bearer && 'content' in bearer) Object.values(bearer.content ?? {}).forEach(complete);
      }
    }
  }
}
