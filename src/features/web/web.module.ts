import { Module } from '@nestjs/common';
import { DocsController } from './api-docs/api-docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { DashboardController } from './pages/dashboard.controller.js';
import { DashboardFiles } from './pages/dashboard-files.js';
import { PagesController } from './pages/pages.controller.js';
import { PageAssets, PagesService } from './pages/pages.service.js';

@Module({
  controllers: [DocsController, PagesController, DashboardController],
  providers: [ApiDocsService, DashboardFiles, PageAssets, PagesService],
})
export class WebModule {}
