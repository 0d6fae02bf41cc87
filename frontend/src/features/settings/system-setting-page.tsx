import { routes, useRouteParams } from '@/routing/routes';
import { SettingView } from './setting-view';

export default function SystemSettingPage() {
  const { settingsId } = useRouteParams('systemSetting');
  return <SettingView key={settingsId} forPlanners id={settingsId} list={routes.systemSettings()} />;
}
