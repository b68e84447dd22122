import ajvFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface DescribedSchema {
  readonly $ref?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly additionalProperties?: unknown;
}

interface DescribedContent {
  readonly [type: string]: { readonly schema: DescribedSchema; readonly example: unknown };
}

interface DescribedHeader {
  readonly required?: boolean;
  readonly schema: DescribedSchema;
}

interface DescribedResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string } | DescribedHeader>>;
  readonly content?: DescribedContent;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: DescribedContent };
  readonly responses: Readonly<Record<string, DescribedResponse>>;
  readonly 'x-access': {
    readonly kind: string;
    readonly role?: string;
    readonly scope?: string;
    readonly personalKey?: string;
    readonly ci?: string;
  };
}

/** The part of the OpenAPI document that the tests read. */
export interface DescribedApi {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, DescribedSchema>>;
    readonly headers: Readonly<Record<string, DescribedHeader>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

/** The OpenAPI document of the service. Responses are checked against it. */
export class Contract {
  readonly operations: readonly PlacedOperation[];
  /** The statuses of the responses so far, by operation. */
  private readonly answered = new Map<string, Set<string>>();
  private readonly ajv = ajvFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  private readonly compiled = new Map<DescribedSchema, ValidateFunction>();

  constructor(readonly api: DescribedApi) {
    this.operations = Object.entries(api.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    this.ajv.addSchema({ $id: 'api', components: { schemas: closed(api.components.schemas) } });
  }

  find(operationId: string): PlacedOperation {
    const found = this.operations.find(({ operation }) => operation.operationId === operationId);
    if (!found) throw new Error(`The document has no operation ${operationId}.`);
    return found;
  }

  /** Returns every difference between a response and the document; empty if there is none. */
  async problemsOf(operationId: string, response: Response): Promise<readonly string[]> {
    const status = String(response.status);
    const described = this.find(operationId).operation.responses[status];
    const text = await response.text();
    if (!described) return [`${status} is not documented: ${text.slice(0, 200)}`];
    this.answered.set(operationId, (this.answered.get(operationId) ?? new Set()).add(status));
    return [...this.headerProblems(described, response), ...this.bodyProblems(described, response, text)];
  }

  /** Returns the documented statuses that no response has had, as `operation status`. */
  unprovoked(): readonly string[] {
    return this.operations.flatMap(({ operation: { operationId, responses } }) =>
      Object.keys(responses)
        .filter((status) => !this.answered.get(operationId)?.has(status))
        .map((status) => `${operationId} ${status}`),
    );
  }

  schemaProblems(schema: DescribedSchema, value: unknown): readonly string[] {
    const validate = this.compiled.get(schema) ?? this.ajv.compile(closed(absolute(schema)) as object);
    this.compiled.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => this.ajv.errorsText([error]));
  }

  private headerProblems({ headers }: DescribedResponse, response: Response): readonly string[] {
    const code = response.headers.get('x-error-code');
    const undocumented = code !== null && !headers['X-Error-Code'] ? [`the error code ${code} is not documented`] : [];
    const problems = Object.entries(headers).flatMap(([name, described]) => {
      const value = response.headers.get(name);
      const shared = this.api.components.headers[name] ?? { schema: {} };
      const { required, schema } = '$ref' in described ? shared : described;
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      return this.schemaProblems(schema, value).map((problem) => `the header ${name} is ${value}: ${problem}`);
    });
    return [...undocumented, ...problems];
  }

  private bodyProblems({ content }: DescribedResponse, response: Response, text: string): readonly string[] {
    if (!content) return text === '' ? [] : ['a body is not documented'];
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const media = content[type];
    if (!media) return [`the type ${type} is not documented`];
    return this.schemaProblems(media.schema, type.endsWith('json') ? (JSON.parse(text) as unknown) : text);
  }
}

/** Makes references within the document absolute, because each schema is compiled by itself. */
const absolute = (schema: DescribedSchema): DescribedSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as DescribedSchema;

/**
 * Closes the schemas: an object may have no other members than those that its schema names. So an undocumented field is
 * an error.
 */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const namesMembers = typeof members['properties'] === 'object' && members['type'] === 'object';
  return namesMembers && members['additionalProperties'] === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
