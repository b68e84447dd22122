import { Module } from '@nestjs/common';
import { ApiDescription } from './api-docs/api-description.js';
import { DocsController } from './api-docs/api-docs.controller.js';
import { DocsPages } from './api-docs/docs-pages.js';

/** The description of the interface, for machines and for people. */
@Module({ controllers: [DocsController], providers: [ApiDescription, DocsPages] })
export class DocsModule {}
