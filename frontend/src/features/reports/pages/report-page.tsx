import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { RecordState } from '@/data/record-state';
import { useRecord } from '@/data/use-record';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Panel } from '@/ui/panel';
import { PlotSkeleton } from '@/ui/charts/chart-panel';
import { ReportView } from '../components/report-view';
import { savedReportQuery } from '../queries';

export default function ReportPage() {
  const [params] = useSearchParams();
  const id = params.get('setting');
  return (
    <PageFrame className="gap-4">{id ? <Saved key={id} id={id} /> : <ReportView saved={undefined} />}</PageFrame>
  );
}

function Saved({ id }: { id: string }) {
  const { t } = useTranslation('reports');
  const result = useRecord({
    document: savedReportQuery,
    variables: { id },
    typenames: ['ReportSetting'],
    read: ({ reportSetting }) => reportSetting,
  });
  return (
    <RecordState
      result={result}
      loading={
        <Panel aria-busy>
          <PlotSkeleton height={320} />
        </Panel>
      }
      notFound={{
        title: t('notFound.title'),
        text: t('notFound.text'),
        action: t('notFound.action'),
        to: routes.report(),
      }}
    >
      {(saved) => <ReportView saved={saved} />}
    </RecordState>
  );
}
