import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

type JsonForm = StandardSchemaWithJSON['~standard']['jsonSchema']['input'];

/** The same schema, whose form in JSON is made once: a server is made for each message, and lists its tools by them. */
export function keepSchema<In, Out>(schema: StandardSchemaWithJSON<In, Out>): StandardSchemaWithJSON<In, Out> {
  const standard = schema['~standard'];
  const { input, output } = standard.jsonSchema;
  return { '~standard': { ...standard, jsonSchema: { input: once(input), output: once(output) } } };
}

function once(make: JsonForm): JsonForm {
  const made = new Map<string, ReturnType<JsonForm>>();
  return (options) => {
    const form = made.get(options.target) ?? make(options);
    made.set(options.target, form);
    return form;
  };
}
