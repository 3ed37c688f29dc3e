// static import
// ends: syntax
import * as os from 'os';
return os;
