// Runs all tests in one process, so that each overlay is rendered only once.
import './policy.test.mjs';
import './network.test.mjs';
import './schemas.test.mjs';
import './pooler.test.mjs';
import './program.test.mjs';
import './cluster.test.mjs';
import './deploy.test.mjs';
import './composition.test.mjs';
import './doctor.test.mjs';
import './alerts.test.mjs';
import './bare.test.mjs';
import './image.test.mjs';
