# BoringSSL without the folders that no AEAD, cipher, hash or MAC needs: SOURCE is its folder, WORK that of the result.
# The flags are those of its own CMake files for a release, without debug information. Its generated assembly files for
# Linux contain code for their own CPU only, and are empty for others.
UNUSED := cms conf hpke hrss pem pkcs7 pkcs8 pool slhdsa spake2plus test trust_token x509 xwing
FLAGS := -O3 -DNDEBUG -DBORINGSSL_IMPLEMENTATION -fPIC -fno-common -fno-strict-aliasing -fvisibility=hidden \
	-ffunction-sections -fdata-sections -w -I$(SOURCE)/include
CXX_FLAGS := $(FLAGS) -std=gnu++17 -fno-exceptions -fno-rtti

FOUND := $(wildcard $(addprefix $(SOURCE)/,crypto/*.cc crypto/*/*.cc gen/crypto/*.cc gen/*/*-linux.S \
	crypto/*/asm/*.S third_party/fiat/asm/*.S))
SOURCES := $(patsubst $(SOURCE)/%,%,$(filter-out %_test.cc $(addprefix $(SOURCE)/crypto/,$(addsuffix /%,$(UNUSED))),$(FOUND)))
OBJECTS := $(addprefix $(WORK)/objects/,$(addsuffix .o,$(SOURCES)))

# The longest compilation starts first.
$(WORK)/libboringssl.a: $(WORK)/objects/crypto/fipsmodule/bcm.cc.o $(OBJECTS)
	@rm -f $@
	@$(AR) rcs $@ $(OBJECTS)

$(WORK)/objects/%.cc.o: $(SOURCE)/%.cc
	@mkdir -p $(@D)
	@$(CXX) $(CXX_FLAGS) -c $< -o $@

$(WORK)/objects/%.S.o: $(SOURCE)/%.S
	@mkdir -p $(@D)
	@$(CC) $(FLAGS) -c $< -o $@
