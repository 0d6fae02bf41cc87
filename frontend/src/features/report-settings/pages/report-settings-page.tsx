import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { DeleteReportSettingDialog } from '../components/delete-report-setting-dialog';
import { ReportSettingMenu } from '../components/report-setting-menu';
import { NEW_ID } from '../names';
import type { ReportSettingRow } from '../queries';
import { reportSettingsResource } from '../resource';

export default function ReportSettingsPage() {
  const { t } = useTranslation('report-settings');
  const narrow = useNarrowScreen();
  const [deleting, setDeleting] = useState<ReportSettingRow>();
  const rowActions = useMemo(
    (): RowActions<ReportSettingRow> => ({
      width: 44,
      onCard: 'beside',
      render: (row) => <ReportSettingMenu setting={row} onDelete={setDeleting} />,
    }),
    [],
  );
  const create = (
    <Button asChild variant="primary" icon={Plus}>
      <Link to={routes.reportSetting({ id: NEW_ID })}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      <ResourceList
        resource={reportSettingsResource}
        rowActions={rowActions}
        action={create}
        emptyAction={create}
      />
      {deleting && (
        <DeleteReportSettingDialog setting={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </PageFrame>
  );
}
