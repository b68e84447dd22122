import { Module } from '@nestjs/common';
import { DocsController } from './api-docs/api-docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { PagesController } from './pages/pages.controller.js';
import { PageAssets, PagesService } from './pages/pages.service.js';

@Module({
  controllers: [DocsController, PagesController],
  providers: [ApiDocsService, PageAssets, PagesService],
})
export class WebModule {}
