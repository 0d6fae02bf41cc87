import { Pencil } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { BroughtPanel } from '../components/brought-panel';
import { SourceFacts } from '../components/source-facts';
import { SourceState } from '../components/source-state';
import { sourceStatus } from '../status';
import { useSource } from '../use-source';

export default function ViewSourcePage() {
  const { t } = useTranslation('sources');
  const { hasRole } = useAuth();
  const { sourceId } = useRouteParams('viewSource');
  const result = useSource(sourceId);
  return (
    <PageFrame>
      <SourceState result={result}>
        {(source) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 className="text-xl font-semibold wrap-anywhere">{source.name}</h2>
              <StatusChip kind="source" status={sourceStatus(source)} size={24} />
              {hasRole(WRITE_ROLES) && (
                <Button asChild icon={Pencil} className="ml-auto max-md:ml-0">
                  <Link to={routes.editSource({ sourceId })}>{t('edit.verb')}</Link>
                </Button>
              )}
            </div>
            <div className="flex flex-col gap-4">
              <SourceFacts source={source} />
              <BroughtPanel source={source} />
            </div>
          </>
        )}
      </SourceState>
    </PageFrame>
  );
}
