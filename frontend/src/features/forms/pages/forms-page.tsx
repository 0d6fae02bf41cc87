import { Download } from 'lucide-react';
import type { BulkAction } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { PageFrame } from '@/shell/page-frame';
import { DownloadDialog } from '../components/download-dialog';
import { formsResource } from '../resource';

const bulkActions: readonly BulkAction<object>[] = [
  {
    id: 'download',
    labelKey: 'forms:zip.title',
    icon: Download,
    shortcut: 'd',
    // The dialog names those that have no form yet.
    fits: () => true,
    dialog: DownloadDialog,
  },
];

export default function FormsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={formsResource} bulkActions={bulkActions} />
    </PageFrame>
  );
}
