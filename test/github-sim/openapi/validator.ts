import type { Exchange } from '../exchange-observer.js';
import { isKnownSchemaError } from './known-schema-errors.js';
import { DescriptionSchemas } from './description-schemas.js';
import {
  readOpenApiDescription,
  type Content,
  type DescribedResponse,
  type OpenApiDescription,
  type OpenApiSchema,
  type Operation,
  type Parameter,
} from './openapi-description.js';
import { OperationMatcher, type MatchedOperation } from './operation-matcher.js';
import { undocumentedBody } from './undocumented-answers.js';

/** One deviation from GitHub's description. */
export interface Violation {
  /** GitHub's id of the operation, such as `pulls/create`; method and path if GitHub has no such operation. */
  readonly operation: string;
  readonly part: 'operation' | 'parameters' | 'request headers' | 'request body' | 'status' | 'response body';
  readonly detail: string;
}

/** Media types of callers that request text instead of JSON, such as `application/vnd.github.raw+json`. */
const TEXT_MEDIA = /application\/vnd\.github(?:\.v3)?\.(?:raw|diff|patch|sha|html)(?:\+json)?(?:$|[;,\s])/;
const OBJECT_MEDIA = 'application/vnd.github.object';

/** The minimum of every error of GitHub. Its own schemas of errors require nothing. */
const ERROR: OpenApiSchema = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string', minLength: 1 }, documentation_url: { type: 'string' } },
};

interface ExpectedBody {
  readonly kind: 'content' | 'error' | 'none' | 'any';
  readonly content: Content;
}

const isAbsent = (body: unknown): boolean => body === undefined || body === null || body === '';

/** Checks exchanges against GitHub's own description of its REST API, reduced to the operations in use. */
export class OpenApiValidator {
  private readonly schemas: DescriptionSchemas;
  private readonly matcher: OperationMatcher;

  constructor(private readonly description: OpenApiDescription = readOpenApiDescription()) {
    this.schemas = new DescriptionSchemas(description);
    this.matcher = new OperationMatcher(description);
  }

  /** Returns every deviation of the exchange; empty if GitHub allows it. */
  check(exchange: Exchange): readonly Violation[] {
    const matched = this.matcher.find(exchange.method, exchange.path);
    if (!matched) {
      const operation = `${exchange.method} ${exchange.path}`;
      return [{ operation, part: 'operation', detail: 'is none of the operations in use; see operations.json' }];
    }
    const { operation } = matched;
    const found = (part: Violation['part'], details: readonly string[]): Violation[] =>
      details.map((detail) => ({ operation: operation.operationId, part, detail }));
    return [
      ...found('parameters', this.parameterProblems(matched, exchange)),
      ...found('request headers', headerProblems(exchange)),
      ...found('request body', this.requestBodyProblems(operation, exchange)),
      ...this.responseProblems(operation, exchange, found),
    ].filter((violation) => !isKnownSchemaError(violation));
  }

  private parameterProblems({ parameters, pathValues }: MatchedOperation, { query }: Exchange): string[] {
    const known = new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
    const unknown = Object.keys(query).filter((name) => !known.has(name));
    return [
      ...parameters.flatMap((parameter) => {
        if (parameter.in === 'header') return [];
        const value = (parameter.in === 'path' ? pathValues : query)[parameter.name];
        // A path below `/repositories/{id}` has no owner and no repo.
        if (value === undefined && parameter.in === 'path') return [];
        return this.parameterProblem(parameter, value);
      }),
      ...unknown.map((name) => `${name} is not a parameter of this operation`),
    ];
  }

  /** A parameter is sent as text. It is valid if the text, or the number or boolean that it represents, is valid. */
  private parameterProblem({ name, required, schema }: Parameter, value: string | undefined): string[] {
    if (value === undefined) return required === true ? [`${name} is missing`] : [];
    const readings: unknown[] = [value];
    if (/^-?\d+$/.test(value)) readings.unshift(Number(value));
    if (value === 'true' || value === 'false') readings.unshift(value === 'true');
    const problems = readings.map((reading) => this.schemas.problems(schema, 'open', reading));
    return problems.some((found) => found.length === 0)
      ? []
      : (problems[0] ?? []).map((problem) => `${name} ${problem}`);
  }

  private requestBodyProblems({ requestBody }: Operation, { requestBody: body }: Exchange): string[] {
    if (isAbsent(body)) return requestBody?.required === true ? ['is missing'] : [];
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return Object.keys(body as object).length > 0 ? ['must be empty'] : [];
    return this.schemas.problems(schema, 'closed', body);
  }

  private responseProblems(
    operation: Operation,
    exchange: Exchange,
    found: (part: Violation['part'], details: readonly string[]) => Violation[],
  ): Violation[] {
    const expected = this.expectedBody(operation, exchange);
    return expected
      ? found('response body', this.bodyProblems(expected, exchange))
      : found('status', [`${exchange.status} is never answered by this operation`]);
  }

  /** Null if the operation never has this status. */
  private expectedBody(operation: Operation, exchange: Exchange): ExpectedBody | null {
    const { status } = exchange;
    const documented = this.documentedResponse(operation, status);
    if (!documented) {
      const kind = undocumentedBody(operation.operationId, exchange);
      return kind && { kind, content: {} };
    }
    if (documented.content) return { kind: status < 300 ? 'content' : 'error', content: documented.content };
    return { kind: status < 400 ? 'none' : 'error', content: {} };
  }

  private bodyProblems({ kind, content }: ExpectedBody, exchange: Exchange): string[] {
    const { status, responseBody: body } = exchange;
    switch (kind) {
      case 'any':
        return [];
      case 'none':
        return isAbsent(body) ? [] : ['must be empty'];
      case 'content':
        return this.contentProblems(content, exchange);
      case 'error':
    }
    // Even if an outage is documented, the page may come from a server in front of the API.
    if (status >= 500 && typeof body === 'string') return [];
    return [...new Set([...this.schemas.problems(ERROR, 'open', body), ...this.contentProblems(content, exchange)])];
  }

  private documentedResponse({ responses }: Operation, status: number): DescribedResponse | undefined {
    const response = responses[String(status)];
    if (!response || !('$ref' in response)) return response;
    return this.description.components.responses[response.$ref.slice('#/components/responses/'.length)];
  }

  private contentProblems(content: Content, { status, requestHeaders, responseBody: body }: Exchange): string[] {
    const accept = headerOf(requestHeaders, 'accept') ?? '';
    if (status < 300 && TEXT_MEDIA.test(accept)) {
      return typeof body === 'string' ? [] : ['must be the text that the Accept header asks for'];
    }
    const media = accept.includes(OBJECT_MEDIA) && content[OBJECT_MEDIA] ? OBJECT_MEDIA : 'application/json';
    const schema = content[media]?.schema;
    return schema ? this.schemas.problems(schema, 'open', body) : [];
  }
}

function headerOf(headers: Exchange['requestHeaders'], name: string): string | undefined {
  return Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1];
}

/** GitHub's requirements for every request, whatever the operation. */
function headerProblems({ requestHeaders, requestBody }: Exchange): string[] {
  const problems: string[] = [];
  if (!headerOf(requestHeaders, 'user-agent')) problems.push('user-agent is missing, and GitHub refuses to answer');
  if (!isAbsent(requestBody) && !/\bjson\b/.test(headerOf(requestHeaders, 'content-type') ?? '')) {
    problems.push('content-type does not say that the body is JSON');
  }
  return problems;
}
