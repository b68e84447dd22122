import { Inject, Injectable } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, type OperationObject, SwaggerModule } from '@nestjs/swagger';
import { ENVIRONMENT, type Environment } from '../../../config/environment.js';
import { SharedDocument } from '../../../http/shared-document.js';
import { INTRODUCTION, TAGS } from './api-introduction.js';
import { addExamples } from './examples.js';
import { describeOperation } from './operation-docs.js';
import { apiPage } from './page/api-page.js';
import { buildOperationId, readContracts, SECURITY_SCHEMES } from './route-contract.js';
import { FAILURE_SCHEMA, RESPONSE_HEADERS } from './route-responses.js';

/** The label of the interface that this service offers; it is no version of the service itself. */
const API_VERSION = '1.0.0';

/** The OpenAPI document of the running app, made of its routes' own decorators and types. */
@Injectable()
export class ApiDocsService {
  private made: OpenAPIObject | null = null;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly adapter: HttpAdapterHost,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** Made when it is first asked for: by then every module is there. */
  get document(): OpenAPIObject {
    this.made ??= this.make();
    return this.made;
  }

  private make(): OpenAPIObject {
    const document = nameSchemas(
      SwaggerModule.createDocument(this.asApplication(), this.frame(), {
        operationIdFactory: buildOperationId,
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
      ...builder.build(),
      servers: [this.server()],
      components: {
        schemas: { Failure: FAILURE_SCHEMA },
        headers: RESPONSE_HEADERS,
        securitySchemes: SECURITY_SCHEMES,
      },
    };
  }

  /** It is for everybody, and not only for what runs beside it. */
  private server(): NonNullable<OpenAPIObject['servers']>[number] {
    const server = { url: this.environment.baseUrl, 'x-internal': false };
    return server;
  }

  /** What the generator reads of an application, which no provider can be given whole. */
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

/** The description in the two forms in which it is served, each made when it is first asked for. */
@Injectable()
export class DocsPages {
  private madeJson: SharedDocument | null = null;
  private madeHtml: SharedDocument | null = null;

  constructor(private readonly description: ApiDocsService) {}

  get json(): SharedDocument {
    this.madeJson ??= new SharedDocument(JSON.stringify(this.description.document, null, 2));
    return this.madeJson;
  }

  get html(): SharedDocument {
    this.madeHtml ??= new SharedDocument(apiPage(this.description.document));
    return this.madeHtml;
  }
}
