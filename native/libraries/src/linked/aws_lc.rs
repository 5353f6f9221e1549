//! AWS-LC through `aws_lc.c`, which the BoringSSL plugin shares. aws-lc-sys prefixes all symbols, so they do not clash
//! with OpenSSL's.

use aws_lc_sys as _;

c_library!(aeadlab_aws_lc_library_v1, aeadlab_aws_lc_feature_switch);
