import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { RecordState } from '@/data/record-state';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { DeleteReportSettingDialog } from '../components/delete-report-setting-dialog';
import { EditReportSettingForm } from '../components/edit-report-setting-form';
import { NewReportSettingForm } from '../components/new-report-setting-form';
import { ReportSettingSkeleton } from '../components/report-setting-skeleton';
import { NEW_ID } from '../names';
import { useReportSetting } from '../use-report-setting';

export default function ReportSettingPage() {
  const { t } = useTranslation('report-settings');
  const { id } = useRouteParams('reportSetting');
  return (
    <PageFrame>
      {id === NEW_ID ? (
        <>
          <h2 className="mb-4 flex min-h-8 items-center text-xl font-semibold">
            {t('new.title')}
          </h2>
          <NewReportSettingForm />
        </>
      ) : (
        <SavedReportSetting key={id} id={id} />
      )}
    </PageFrame>
  );
}

function SavedReportSetting({ id }: { id: string }) {
  const { t } = useTranslation('report-settings');
  const navigate = useNavigate();
  const result = useReportSetting(id);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <RecordState
      result={result}
      loading={<ReportSettingSkeleton />}
      notFound={{
        title: t('notFound.title'),
        text: t('notFound.text'),
        action: t('notFound.action'),
        to: routes.reportSettings(),
      }}
    >
      {(setting) => (
        <>
          <div className="mb-4 flex min-h-8 max-w-[720px] flex-wrap items-center gap-x-3 gap-y-2">
            <h2 className="text-xl font-semibold wrap-anywhere">{setting.name}</h2>
            <StatusChip
              kind="reportSetting"
              status={setting.isActive ? 'active' : 'off'}
              size={24}
            />
            <Button
              variant="danger"
              icon={Trash2}
              className="ml-auto"
              onClick={() => setDeleting(true)}
            >
              {t('delete.verb')}
            </Button>
          </div>
          <EditReportSettingForm setting={setting} onReload={result.retry} />
          {isDeleting && (
            <DeleteReportSettingDialog
              setting={setting}
              onDeleted={() => void navigate(routes.reportSettings())}
              onClose={() => setDeleting(false)}
            />
          )}
        </>
      )}
    </RecordState>
  );
}
