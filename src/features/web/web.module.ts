import { Module } from '@nestjs/common';
import { DocsController } from './api-docs/api-docs.controller.js';
import { ApiDescription, DocsPages } from './api-docs/api-docs.service.js';
import { PagesController } from './pages/pages.controller.js';
import { PageAssets, Pages } from './pages/pages.service.js';

@Module({
  controllers: [DocsController, PagesController],
  providers: [ApiDescription, DocsPages, PageAssets, Pages],
})
export class WebModule {}
