import { Module } from '@nestjs/common';
import { UpkeepRepository } from './upkeep.repository.js';
import { Upkeep } from './upkeep.service.js';

@Module({ providers: [Upkeep, UpkeepRepository] })
export class UpkeepModule {}
