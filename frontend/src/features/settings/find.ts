import type { FindField } from '@/list/resource';

export const FIND: FindField = { key: 'name', labelKey: 'settings:fields.name' };
