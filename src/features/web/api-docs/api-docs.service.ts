import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, type OperationObject, SwaggerModule } from '@nestjs/swagger';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { SERVICE_VERSION } from '../../../config/service-version.js';
import { SharedDocument } from '../../../http/shared-document.js';
import { addExamples } from './examples.js';
import { describeOperation } from './operation-docs.js';
import { apiPage } from './page/api-page.js';
import { readContracts, SECURITY_SCHEMES } from './route-contract.js';
import { FAILURE_SCHEMA, RESPONSE_HEADERS } from './route-responses.js';

/** The version of the API. It is not the version of the service, which the document states as `x-service-version`. */
const API_VERSION = '1.0.0';

/** The introduction of the document. Empty lines separate the paragraphs. */
const INTRODUCTION = `
This describes the API ${API_VERSION} of Shipgate ${SERVICE_VERSION}.

Shipgate governs releases of software on GitHub. CI uploads evidence for a release, the service opens an evidence pull request, a reviewer approves it there, and the deploy gate answers CI whether the release may be deployed.

The workspace of a request is that of its credential: a GitHub organization. No path, query or body selects another workspace, and objects of other workspaces answer 404. A session selects one of the workspaces of its user, for all tabs of a browser. A request with \`X-Workspace\` answers 409 if the session works in another workspace.

Every error is \`{"error": "…"}\` with a sentence for users; programs should use the status and, where it has several causes, the header \`X-Error-Code\`. Every response has \`X-Request-Id\`, which identifies the request in the log of the service. A path that is not listed here answers 404.

Routes by which former versions stored credentials answer 410: \`GET\` and \`POST\` of \`/manifest-start\`, \`/manifest-callback\`, \`/api/config/manifest-start\` and \`/api/config/manifest-callback\`, and \`POST\` and \`PUT\` of \`/setup\`. Use \`POST /api/config/setup\`.

Bodies are JSON in UTF-8 with at most 64 levels, and may be sent with \`Content-Encoding: gzip\`. Unknown members are rejected, and values are not converted: \`"1"\` is not a number.
`.trim();

/** The groups of operations, in the order of the document. */
const TAGS: Readonly<Record<string, string>> = {
  'sign-in': 'Sign-in with GitHub, and the selection of a workspace.',
  team: 'Members and invites of a workspace.',
  evidence: 'Evidence that CI uploads for releases.',
  artifacts: 'The digests of what was built for a release, with their provenance.',
  milestones: 'Releases, each of which is a GitHub milestone, and the deploy gate.',
  search: 'One search over a workspace.',
  projects: 'Groups of repositories that are released together.',
  reviews: 'Evidence pull requests that wait for approvals.',
  history:
    'Deployments to the targets of the workspace, with their approvals, and what CI systems report about deployments.',
  quality: 'Scorecards of releases, and their changes.',
  overrides: 'Freezes, waivers and break-glass requests.',
  events: 'Changes in a workspace, as server-sent events.',
  repositories: 'The set-up of repositories and the enforcement of their policy.',
  policy: 'The schema and the check of `sdlc.yaml`.',
  keys: 'API keys of CI systems, and personal keys for tools.',
  cli: 'The command-line tool of this version, for CI systems that reach only this service.',
  tools: 'Remote tools for editors and assistants, which act as a member.',
  billing: 'The plan of a workspace, and upgrade requests.',
  platform: 'Decisions of platform admins about plans.',
  configuration: 'The first-run set-up, and the installation of the GitHub App.',
  audit: 'The audit log, audit packs and signing keys.',
  sync: 'The synchronization of a workspace with GitHub.',
  webhook: 'Webhooks of GitHub.',
  operation: 'Health, metrics and diagnostics of the service.',
  documentation: 'This description.',
};

/** Serves the OpenAPI document of the running app, generated from the decorators and types of its routes. */
@Injectable()
export class ApiDocsService {
  private cached: OpenAPIObject | null = null;
  private cachedJson: SharedDocument | null = null;
  private cachedPage: SharedDocument | null = null;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapter: HttpAdapterHost,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** The document. It is generated at the first call, because all modules exist by then. */
  get document(): OpenAPIObject {
    this.cached ??= this.generate();
    return this.cached;
  }

  /** The document as JSON. */
  get json(): SharedDocument {
    this.cachedJson ??= new SharedDocument(JSON.stringify(this.document, null, 2));
    return this.cachedJson;
  }

  /** The document as an HTML page. */
  get page(): SharedDocument {
    this.cachedPage ??= new SharedDocument(apiPage(this.document));
    return this.cachedPage;
  }

  private generate(): OpenAPIObject {
    const document = nameSchemas(
      SwaggerModule.createDocument(this.asApplication(), this.frame(), {
        operationIdFactory: (_controller, handler) => handler,
        autoTagControllers: false,
      }),
    );
    const contracts = readContracts(this.modules);
    for (const item of Object.values(document.paths)) {
      for (const [method, operation] of Object.entries(item) as [keyof typeof item, OperationObject][]) {
        const contract = contracts.get(operation.operationId ?? '');
        if (!contract) throw new TypeError(`The route ${operation.operationId} has no contract.`);
        Object.assign(item, { [method]: describeOperation(operation, contract) });
      }
    }
    addExamples(document);
    return document;
  }

  private frame(): Omit<OpenAPIObject, 'paths'> {
    const builder = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Shipgate')
      .setDescription(INTRODUCTION)
      .setVersion(API_VERSION)
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0');
    for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
    return {
      ...builder.addExtension('x-service-version', SERVICE_VERSION, 'info').build(),
      servers: [this.server()],
      components: {
        schemas: { Failure: FAILURE_SCHEMA },
        headers: RESPONSE_HEADERS,
        securitySchemes: SECURITY_SCHEMES,
      },
    };
  }

  /** Marks the server as public for the OWASP rules. */
  private server(): NonNullable<OpenAPIObject['servers']>[number] {
    const server = { url: this.environment.baseUrl, 'x-internal': false };
    return server;
  }

  /** Returns the parts of an application that the generator reads. The application itself cannot be injected. */
  private asApplication(): Parameters<typeof SwaggerModule.createDocument>[0] {
    const application = {
      container: { getModules: () => this.modules, isGlobalModule: () => false },
      config: new ApplicationConfig(),
      getHttpAdapter: () => this.adapter.httpAdapter,
    };
    return application as unknown as Parameters<typeof SwaggerModule.createDocument>[0];
  }
}

/** Names each schema as its class without the suffix `Dto`. Throws a TypeError if two classes then share a name. */
function nameSchemas(document: OpenAPIObject): OpenAPIObject {
  const text = JSON.stringify(document).replaceAll(/("#\/components\/schemas\/\w+)Dto"/g, '$1"');
  const named = JSON.parse(text) as OpenAPIObject;
  const schemas = Object.entries(named.components?.schemas ?? {}).map(
    ([name, schema]) => [name.replace(/Dto$/, ''), schema] as const,
  );
  const names = schemas.map(([name]) => name);
  const shared = names.find((name, at) => names.indexOf(name) !== at);
  if (shared !== undefined) throw new TypeError(`Two classes have the schema name ${shared}.`);
  return { ...named, components: { ...named.components, schemas: Object.fromEntries(schemas) } };
}
