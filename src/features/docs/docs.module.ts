import { Module } from '@nestjs/common';
import { ApiDescription } from './api-description.js';
import { DocsPages } from './docs-pages.js';
import { DocsController } from './docs.controller.js';

/** The description of the interface, for machines and for people. */
@Module({ controllers: [DocsController], providers: [ApiDescription, DocsPages] })
export class DocsModule {}
