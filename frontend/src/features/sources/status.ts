import type { SourceStatus } from '@/ui/statuses';

export function sourceStatus({ isActive }: { isActive: boolean }): SourceStatus {
  return isActive ? 'Active' : 'Disabled';
}
