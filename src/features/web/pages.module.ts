import { Module } from '@nestjs/common';
import { PageAssets } from './pages/page-assets.js';
import { PagesController } from './pages/pages.controller.js';
import { Pages } from './pages/pages.service.js';

/** What people see in a browser. */
@Module({ controllers: [PagesController], providers: [PageAssets, Pages] })
export class PagesModule {}
