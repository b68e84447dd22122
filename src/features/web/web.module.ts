import { Module } from '@nestjs/common';
import { DocsController } from './api-docs/api-docs.controller.js';
import { ApiDocsService } from './api-docs/api-docs.service.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DashboardFiles } from './dashboard/dashboard-files.js';

@Module({
  controllers: [DocsController, DashboardController],
  providers: [ApiDocsService, DashboardFiles],
})
export class WebModule {}
